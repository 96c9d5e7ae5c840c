const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Returns an issue key that ends with a number. Renamed and moved issues get another key. */
export function issueKey(path: string): string {
  let hash = 7;
  for (const character of path) hash = (hash * 31 + character.codePointAt(0)!) % 1_000_003;
  return `SUITE-${hash + 1}`;
}

export const issuePath = (path: string): string =>
  `SUITE/${oneLine(`${issueKey(path)} ${path}`).replaceAll('/', '-')}.md`;

/** Returns the Markdown of an issue that has only a description. */
export const issueText = (text: string, path: string): string =>
  `${[
    `# ${oneLine(`${issueKey(path)} ${path}`)}`,
    '- **Project:** Suite',
    ...(text === '' ? [] : [`## Description\n\n${text.trim()}`]),
  ].join('\n\n')}\n`;
