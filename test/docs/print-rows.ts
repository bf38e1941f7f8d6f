import { geometryOf } from '../../postal/geometry.ts';
import { formatOf } from '../../postal/paper.ts';
import { rates, sheetsInRow } from '../../postal/rates.ts';
import { services } from '../../postal/services.ts';
import type { Box } from '../../postal/types.ts';

const boxOf = ({ x, y, width, height }: Box): string => `${x}, ${y}, ${width} × ${height}`;

/** The rows of the table in docs/print-houses.md, as the product has them. */
export const printRows = (): string[][] =>
  Object.values(services).map(({ id, country, name }) => {
    const format = formatOf(country);
    const classes = rates
      .filter((row) => row.service === id && row.validTo === undefined)
      .map((row) => `${row.envelope} to ${row.maxGrams} g (${sheetsInRow(row, format)})`);
    const { noPrint } = geometryOf(country, id);
    const windows = noPrint.filter((zone) => zone.name.endsWith('address_field'));
    return [id, name, format, classes.join('; '), windows.map((one) => boxOf(one.box)).join('; ')];
  });
