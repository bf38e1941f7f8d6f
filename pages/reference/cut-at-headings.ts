/** The parts of a text in Markdown: what is before its first heading, and each heading outside of a fence with its lines. */
export const cutAtHeadings = (markdown: string): { heading: string; text: string }[] => {
  const parts = [{ heading: '', text: '' }];
  let fenced = false;
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) fenced = !fenced;
    const heading = fenced ? undefined : /^#{2,3} (.*)$/.exec(line)?.[1];
    if (heading !== undefined) parts.push({ heading, text: '' });
    const last = parts.at(-1);
    if (last) last.text += `${line}\n`;
  }
  return parts;
};
