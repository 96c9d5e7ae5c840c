import { expect, it } from 'vitest';
import { wikiToMarkdown } from '#src/sources/jira/wiki-markup.ts';

it.each([
  ['h1. Title\ntext', '# Title\ntext'],
  ['* a\n** b\n## c\n# d', '- a\n  - b\n   1. c\n1. d'],
  ['{code:java|title=A.java}\nint *a* = 1;\n{code}', '```java\nint *a* = 1;\n```'],
  ['{noformat}\n```\n{code}\n{noformat} after', '````\n```\n{code}\n````\n\n after'],
  ['{code}never closed', '```\nnever closed\n```'],
  ['||A||B||\n|*1*|[x|https://x.test]|', '| A | B |\n| --- | --- |\n| **1** | [x](https://x.test) |'],
  ['|1|2|', '|  |  |\n| --- | --- |\n| 1 | 2 |'],
  ['{quote}\na\n{quote}\nb', '> a\nb'],
  ['bq. said', '> said'],
  ['{panel:title=Mind|bgColor=#fff}this{panel}', '**Mind** this'],
  ['*bold*, {{mono}} and {color:red}red{color}', '**bold**, `mono` and red'],
  ['[~ann] saw [https://a.test/(x)] and [no link]', '@ann saw <https://a.test/%28x%29> and [no link]'],
  ['[bad|javascript:alert(1)]', '[bad|javascript:alert(1)]'],
  ['!shot.png|thumbnail! wow! really!', '[shot.png] wow! really!'],
  ['2 * 3 * 4', '2 * 3 * 4'],
  ['', ''],
])('%j converts to %j', (markup, markdown) => {
  expect(wikiToMarkdown(markup)).toBe(markdown);
});

it('shifts heading levels below the parent level', () => {
  expect(wikiToMarkdown('h1. a\nh6. b', 2)).toBe('### a\n###### b');
});
