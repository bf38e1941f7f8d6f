import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { startChromium } from '../../../documents/render/chromium.ts';
import { type ChromiumBinary, prepareChromium } from '../../../documents/render/chromium-binary.ts';
import { geometryOf } from '../../../postal/geometry.ts';
import { skip } from '../../support/skip.ts';

const executablePath = process.env.CHROMIUM_PATH;
const sheet = geometryOf('DE', 'de_standardbrief');
const tinos = fileURLToPath(
  import.meta.resolve('@expo-google-fonts/tinos/400Regular/Tinos_400Regular.ttf'),
);

/** Tinos under a name of the same length, which no package of ours has. */
const family = 'Local';
const renamed = (font: Buffer): Buffer => {
  const replace = (text: string, encoding: 'latin1' | 'utf16le'): string => {
    const swapped = (name: string) => Buffer.from(name, encoding).swap16().toString('latin1');
    const inFile = (name: string) => (encoding === 'latin1' ? name : swapped(name));
    return text.replaceAll(inFile('Tinos'), inFile(family));
  };
  const text = replace(replace(font.toString('latin1'), 'utf16le'), 'latin1');
  return Buffer.from(text, 'latin1');
};

/** Names that machines have fonts for, and the one that is put on this machine for the test. */
const letters = [family, 'DejaVu Sans', 'OpenSymbol', 'Liberation Serif', 'sans-serif'].map(
  (name) => `<p style="font-family:'${name}'">Dear Sir, ☎ ⟶ € ½ Größe</p>`,
);

describe('HTML letters on a machine that has fonts', function () {
  this.timeout(180_000);
  let binary: ChromiumBinary;
  let folder: string;
  let ofMachine: string;
  const environment = { ...process.env };

  before(async function () {
    folder = await mkdtemp(join(tmpdir(), 'letters-fonts-'));
    binary = await prepareChromium({ executablePath }).catch(() => skip(this, 'no Chromium'));
    const fonts = join(folder, '.fonts');
    await mkdir(fonts);
    await writeFile(join(fonts, 'local.ttf'), renamed(await readFile(tinos)));
    ofMachine = join(folder, 'fonts.conf');
    await writeFile(
      ofMachine,
      `<?xml version="1.0"?>
<fontconfig><include ignore_missing="yes">/etc/fonts/fonts.conf</include><dir>${fonts}</dir></fontconfig>`,
    );
  });
  afterEach(() => {
    process.env = { ...environment };
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Leaves out the dates, which the renderer replaces later. */
  const print = async (from: ChromiumBinary): Promise<string[]> => {
    const chromium = await startChromium(from);
    try {
      const printed: string[] = [];
      for (const html of letters) {
        const { pdf } = await chromium.print({
          html: `<!DOCTYPE html>${html}`,
          page: sheet.page,
          reveal: false,
          margins: sheet.margins,
          pagesMax: 60,
        });
        printed.push(pdf.toString('latin1').replaceAll(/\/(Creation|Mod)Date \(.*?\)/g, ''));
      }
      return printed;
    } finally {
      await chromium.kill();
    }
  };

  it('print the same bytes whatever the environment says of fonts', async () => {
    const usual = await print(binary);
    Object.assign(process.env, { HOME: folder, XDG_DATA_HOME: folder, FONTCONFIG_FILE: ofMachine });
    expect(await print(binary)).to.deep.equal(usual);
    // A browser that sees the font uses it.
    const [first, ...others] = await print({ ...binary, fontConfigFile: ofMachine });
    expect(first).to.include(`+${family}`).and.not.equal(usual[0]);
    expect(others).to.have.length(usual.length - 1);
    expect(usual.join()).to.not.include(`+${family}`);
  });

  it('see folders of the packages and of the browser only', async () => {
    const config = await readFile(binary.fontConfigFile, 'utf8');
    expect(config).to.not.match(/<include|prefix=/);
    const folders = [...config.matchAll(/<dir>(.*?)<\/dir>/g)].map(([, path = '']) => path);
    const packages = join(import.meta.dirname, '..', '..', '..', 'node_modules');
    const places = [packages, dirname(binary.fontConfigFile)];
    expect(folders).to.have.length(2);
    for (const path of folders) {
      expect(
        places.some((place) => path.startsWith(place + sep)),
        path,
      ).to.equal(true);
    }
  });
});
