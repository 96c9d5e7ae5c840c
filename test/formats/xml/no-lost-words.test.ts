import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readXml } from './read-xml.ts';

/** Elements of each vocabulary that may hold text anywhere, and elements that may hold others. */
const VOCABULARIES: Record<string, { wrap: (body: string) => string; inline: string[]; block: string[] }> = {
  jats: {
    wrap: (body) => `<article><front><article-meta/></front><body>${body}</body></article>`,
    inline: 'bold italic sub sup xref ext-link email named-content monospace unknown-inline'.split(' '),
    block:
      'sec p title list-item disp-quote boxed-text fig caption label fn table-wrap statement ack list def-list def-item ref-list ref disp-formula verse-group preformat glossary unknown'.split(
        ' ',
      ),
  },
  tei: {
    wrap: (body) => `<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body>${body}</body></text></TEI>`,
    inline: 'hi emph ref name unknown-inline q del'.split(' '),
    block: 'div p ab head lg l sp speaker quote figure figDesc note list item formula listBibl unknown'.split(
      ' ',
    ),
  },
  docbook: {
    wrap: (body) => `<article xmlns="http://docbook.org/ns/docbook">${body}</article>`,
    inline: 'emphasis literal link subscript quote phrase unknown-inline footnote'.split(' '),
    block:
      'section para note sidebar example title listitem blockquote unknown formalpara itemizedlist variablelist varlistentry procedure tip equation simplelist programlisting bibliography'.split(
        ' ',
      ),
  },
  patent: {
    wrap: (body) => `<us-patent-grant><description>${body}</description></us-patent-grant>`,
    inline: 'b i sub sup u figref crossref unknown-inline'.split(' '),
    block: 'p heading ul ol li dl unknown'.split(' '),
  },
  generic: {
    wrap: (body) => `<handbook>${body}</handbook>`,
    inline: 'em key'.split(' '),
    block: 'chapter para title name section note field'.split(' '),
  },
};

interface Node {
  name: string;
  word: boolean;
  inner: Node[];
}

const { node } = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.record({
    name: fc.nat(1_000).map(String),
    word: fc.boolean(),
    inner: fc.oneof({ maxDepth: 5 }, fc.constant<Node[]>([]), fc.array(tie('node'), { maxLength: 3 })),
  }),
}));

it.each(Object.keys(VOCABULARIES))('every word of %s is written exactly once', async (name) => {
  const { wrap, inline, block } = VOCABULARIES[name]!;
  await fc.assert(
    fc.asyncProperty(fc.array(node, { minLength: 1, maxLength: 5 }), async (nodes) => {
      let count = 0;
      const nextWord = () => `word${String(++count).padStart(4, '0')}x`;
      const write = (one: Node, isInline: boolean): string => {
        const names = isInline ? inline : block;
        const element = names[Number(one.name) % names.length]!;
        const hasText = isInline || one.word || one.inner.length === 0;
        const inner = one.inner.map((part) => write(part, hasText)).join('\n');
        return `<${element}>${hasText ? `${nextWord()} ` : ''}${inner}${hasText ? ` ${nextWord()}` : ''}</${element}>`;
      };
      const text = wrap(nodes.map((one) => write(one, false)).join('\n'));
      const { markdown } = await readXml(text);
      const found = markdown.match(/word\d{4}x/g) ?? [];
      const expected = Array.from({ length: count }, (_, at) => `word${String(at + 1).padStart(4, '0')}x`);
      expect(found.toSorted(), text).toEqual(expected);
    }),
    { numRuns: 200 },
  );
});
