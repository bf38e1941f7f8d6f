/** The colours of pages and mails. */

type Colours = Record<
  | 'ground'
  | 'sheet'
  | 'ink'
  | 'soft'
  | 'line'
  | 'link'
  | 'good'
  | 'good-ground'
  | 'bad'
  | 'bad-ground'
  | 'idle-ground'
  | 'notice-ground'
  | 'notice-line',
  string
>;

export const light: Colours = {
  ground: '#eef0f2',
  sheet: '#ffffff',
  ink: '#1b2127',
  soft: '#56606b',
  line: '#d5dae0',
  link: '#1a4f8a',
  good: '#14613a',
  'good-ground': '#e3f2e8',
  bad: '#9b1c1c',
  'bad-ground': '#fbe6e4',
  'idle-ground': '#eceff2',
  'notice-ground': '#fdf3d7',
  'notice-line': '#b98900',
};

export const dark: Colours = {
  ground: '#12161a',
  sheet: '#1a1f25',
  ink: '#e5e9ed',
  soft: '#a3aeb9',
  line: '#343c45',
  link: '#8fbcf0',
  good: '#86d6a6',
  'good-ground': '#163424',
  bad: '#ffa9a1',
  'bad-ground': '#44191a',
  'idle-ground': '#2a313a',
  'notice-ground': '#362c10',
  'notice-line': '#d6a822',
};
