import { describe, expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { parserSuite, readAll } from '#test/suites/parser.suite.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

async function read(text: string, name: string) {
  const document = await openDocument({ bytes: utf8(text), name, plan: resolveParsePlan({}) });
  return { kind: document.kind, blocks: (await readAll(document)).flatMap((page) => page.blocks) };
}

parserSuite({
  kind: 'code',
  name: 'count.py',
  holds: { metadata: [] },
  bytes: () => utf8('def count(gulls):\n    # one by one\n    return len(gulls)\n'),
  markdown: ['```python\ndef count(gulls):\n    # one by one\n    return len(gulls)\n```'],
});

describe('source code', () => {
  it.each([
    ['a.ts', 'typescript'],
    ['a.RS', 'rust'],
    ['a.h', 'c'],
    ['a.sql', 'sql'],
    ['a.yml', 'yaml'],
    ['a.kt', 'kotlin'],
    ['Dockerfile', 'dockerfile'],
    ['src/Makefile', 'makefile'],
    ['CMakeLists.txt', 'cmake'],
  ])('%s is %s', async (name, language) => {
    const { kind, blocks } = await read('a b c', name);
    expect(kind).toBe('code');
    expect(blocks[0]?.markdown).toBe(`\`\`\`${language}\na b c\n\`\`\``);
  });

  it.each([
    ['a.yaml', 'from: a@b.example\nsubject: gulls\n', 'code'],
    ['a.py', 'from: a\nsubject: b\nmessage-id: c\n', 'code'],
    ['a.tex', 'From: a\nSubject: b\n\nText', 'tex'],
    ['a.rst', 'Date: a\nFrom: b\nSubject: c\n\nText', 'rst'],
    ['a.php', '<!doctype html><p><?php echo 1; ?></p>', 'code'],
    ['a', 'From: a@b.example\nSubject: b\n\nText', 'eml'],
    ['code', 'words', 'txt'],
  ])('%s is not taken for another format: %j', async (name, text, expected) => {
    expect((await read(text, name)).kind).toBe(expected);
  });

  it('uses a fence that is longer than the fences in the code', async () => {
    const { blocks } = await read('"""\n````\n"""', 'a.py');
    expect(blocks[0]?.markdown).toBe('`````python\n"""\n````\n"""\n`````');
  });

  it('splits long files between functions', async () => {
    const { blocks } = await read('int f() {\n  return 1;\n}\n\n'.repeat(10_000), 'a.c');
    expect(blocks.length).toBeGreaterThan(2);
    for (const { text } of blocks) expect(text).toMatch(/^int f[\s\S]*\}$/);
  });
});
