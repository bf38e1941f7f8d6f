import type { Json } from './openapi-schemas.ts';

/** The smallest valid file of each type, in base64: a file cannot stand in a JSON document as it is. */
const smallestFiles: Record<string, { summary: string; base64: string }> = {
  'image/png': {
    summary: 'A PNG of one pixel',
    base64:
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mP4DwABAQEAHLCMmQAAAABJRU5ErkJggg==',
  },
  'application/pdf': {
    summary: 'A PDF of one empty page',
    base64:
      'JVBERi0xLjQKMSAwIG9iajw8L1R5cGUvQ2F0YWxvZy9QYWdlcyAyIDAgUj4+IGVuZG9iagoyIDAgb2JqPDwvVHlwZS9QYWdlcy9LaWRzWzMgMCBSXS9Db3VudCAxPj4gZW5kb2JqCjMgMCBvYmo8PC9UeXBlL1BhZ2UvUGFyZW50IDIgMCBSL01lZGlhQm94WzAgMCA1OTUgODQyXT4+IGVuZG9iagp4cmVmCjAgNAowMDAwMDAwMDAwIDY1NTM1IGYgCjAwMDAwMDAwMDkgMDAwMDAgbiAKMDAwMDAwMDA1MyAwMDAwMCBuIAowMDAwMDAwMTAzIDAwMDAwIG4gCnRyYWlsZXI8PC9TaXplIDQvUm9vdCAxIDAgUj4+CnN0YXJ0eHJlZgoxNjcKJSVFT0YK',
  },
  'application/zip': {
    summary: 'A ZIP archive without files',
    base64: 'UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==',
  },
  'application/octet-stream': {
    summary: '32 bytes: one SHA-256 hash',
    base64: 'bjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=',
  },
};

/** The example of an answer that is a file, as a data URL. */
export const fileExample = (type: string): Json => {
  const file = smallestFiles[type];
  if (file === undefined) return {};
  const externalValue = `data:${type};base64,${file.base64}`;
  return { examples: { example_1: { summary: file.summary, externalValue } } };
};
