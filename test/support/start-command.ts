import { readFileSync } from 'node:fs';

/** The environment that `npm start` adds, and the arguments that it gives to node: its flags and the program. */
export const startCommand = (): { env: Record<string, string>; args: string[] } => {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { scripts } = JSON.parse(text) as { scripts: { start: string } };
  const [settings = '', command = ''] = scripts.start.split('exec node ');
  const pairs = [...settings.matchAll(/(\w+)=(\S+)/g)];
  const env = Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value]));
  return { env, args: command.split(' ') };
};
