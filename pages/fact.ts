import { type Html, html } from './html.ts';

/** A row of a `<dl>`; nothing where there is no value. */
export const fact = (name: string, value: Html | string | number | null | undefined): Html =>
  value === null || value === undefined || value === ''
    ? html``
    : html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
