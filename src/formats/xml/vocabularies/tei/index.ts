import { elements } from '#src/text-formats/xml.ts';
import { findChild, make } from '../../tree/build.ts';
import { Rewriter } from '../../tree/rewriter.ts';
import type { Vocabulary } from '../define.ts';
import { readHeaderMetadata, writeHeader } from './header.ts';
import { RULES } from './rules.ts';

const NAMESPACE = 'http://www.tei-c.org/ns/1.0';

/** Texts encoded by the guidelines of the Text Encoding Initiative, and papers that GROBID has converted. */
export const tei: Vocabulary = {
  name: 'TEI',
  matches: ({ local, namespace, element }) =>
    ['TEI', 'TEI.2', 'teiCorpus', 'TEI2'].includes(local) ||
    namespace === NAMESPACE ||
    findChild(element, 'teiHeader') !== undefined,
  read(root) {
    const rewriter = new Rewriter(RULES);
    const header = findChild(root, 'teiHeader');
    const metadata = readHeaderMetadata(root, header);
    const nodes = header ? writeHeader(header, rewriter) : [];
    rewriter.level = 2;
    for (const part of elements(root)) if (part !== header) nodes.push(make('div', rewriter.rewrite(part)));
    for (const note of rewriter.notes) nodes.push(make('div', note));
    return { nodes, metadata, pictures: rewriter.pictures };
  },
};
