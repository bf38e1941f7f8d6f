/** HTML that escapes what is put into it. */

const marker: unique symbol = Symbol('html');

export type Html = { [marker]: string };

type Value = string | number | Html | readonly Html[] | undefined;

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const textOf = (value: Value): string => {
  if (value === undefined) return '';
  if (typeof value === 'string' || typeof value === 'number') {
    return String(value).replaceAll(/[&<>"']/g, (letter) => entities[letter] as string);
  }
  return marker in value ? value[marker] : value.map(textOf).join('\n');
};

/** A piece of markup; values are escaped unless they are markup. Attributes must be in double quotes. */
export const html = (texts: TemplateStringsArray, ...values: Value[]): Html => ({
  [marker]: texts.map((text, index) => text + textOf(values[index])).join(''),
});

/** Markup that something else made, as it is. */
export const trusted = (text: string): Html => ({ [marker]: text });

export const markup = (piece: Html): string => piece[marker];
