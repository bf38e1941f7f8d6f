/** German and French pages and mails call one thing by one name. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const root = join(import.meta.dirname, '..', '..');
const tables = globSync(['{pages,presenters,infra/mail}/**/*-words.ts', 'presenters/labels.ts'], {
  cwd: root,
}).sort();

type OtherName = { language: 'de' | 'fr'; found: RegExp; use: string };

const otherNames: readonly OtherName[] = [
  { language: 'de', found: /(?<!E-)\bMails?\b/, use: 'E-Mail' },
  { language: 'de', found: /\bZertifikat/, use: 'Bescheinigung' },
  { language: 'de', found: /\bAufzeichnung/, use: 'Eintrag' },
  { language: 'de', found: /\bUmfang\b/, use: 'Rechte' },
  { language: 'de', found: /\bBesitzer/, use: 'Inhaber' },
  { language: 'de', found: /\b(?:[Dd]ie|[Dd]as|[Ee]ine) UCAN\b/, use: 'der UCAN' },
  { language: 'de', found: /\bAccount/, use: 'Konto' },
  { language: 'fr', found: /courriel/i, use: 'e-mail' },
  { language: 'fr', found: /clés? d’API/i, use: 'clé API' },
  { language: 'fr', found: /\bessais?\b/i, use: 'tentative' },
  { language: 'fr', found: /\bdossier/i, use: 'archive' },
  { language: 'fr', found: /\bportée\b/i, use: 'droits' },
  { language: 'fr', found: /^échoué/i, use: 'échec' },
  { language: 'fr', found: /\b[Ll]a UCAN\b/, use: 'l’UCAN (un UCAN)' },
];

/** All texts below; a function is its source. */
const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  if (typeof value === 'function') return [String(value)];
  return value && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [];
};

/** The texts of one language, at any depth of a module. */
const textsOf = (language: 'de' | 'fr', value: unknown): string[] => {
  if (!value || typeof value !== 'object') return [];
  if (Object.hasOwn(value, language)) return textsIn(Reflect.get(value, language));
  return Object.values(value).flatMap((part) => textsOf(language, part));
};

const found = (texts: readonly string[], language: 'de' | 'fr'): string[] =>
  otherNames
    .filter((name) => name.language === language)
    .flatMap((name) =>
      texts.filter((text) => name.found.test(text)).map((text) => `${text}: say ${name.use}`),
    );

describe('words in German and French', () => {
  for (const language of ['de', 'fr'] as const) {
    it(`call one thing by one name (${language})`, async () => {
      const wrong: string[] = [];
      let read = 0;
      for (const path of tables) {
        const texts = textsOf(language, await import(join(root, path)));
        read += texts.length;
        wrong.push(...found(texts, language).map((text) => `${path}: ${text}`));
      }
      expect(wrong).to.deep.equal([]);
      // The tables are found and read.
      expect(read).to.be.greaterThan(1_000);
    });
  }

  it('are refused with another name', () => {
    expect(found(['Einen Code per Mail senden'], 'de')).to.have.length(1);
    expect(found(['Code reçu par courriel'], 'fr')).to.have.length(1);
  });
});
