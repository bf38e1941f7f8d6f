/**
 * Rows in the text format of COPY, as bytes. They wait for thousands of events until they are written: as text on the
 * heap, each collection of garbage would move them.
 */

const firstBytes = 4 * 1024;
const mostBytes = 256 * 1024;
/** In UTF-8, of a UTF-16 unit, at most. */
const bytesPerUnit = 3;

export const createCopyRows = () => {
  let full: Buffer[] = [];
  let filling = Buffer.alloc(0);
  let end = 0;

  const makeRoom = (bytes: number): void => {
    if (end > 0) full.push(filling.subarray(0, end));
    const size = Math.min(Math.max(2 * filling.length, firstBytes), mostBytes);
    filling = Buffer.allocUnsafeSlow(Math.max(size, bytes));
    end = 0;
  };

  return {
    add(row: string): void {
      const most = row.length * bytesPerUnit;
      if (end + most > filling.length) makeRoom(most);
      end += filling.write(row, end);
    },
    /** All rows so far; none are left. */
    take(): Buffer[] {
      const taken = end > 0 ? [...full, filling.subarray(0, end)] : full;
      full = [];
      filling = filling.subarray(end);
      end = 0;
      return taken;
    },
  };
};
