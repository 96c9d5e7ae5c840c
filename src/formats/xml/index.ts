import { ParseError } from '#src/documents/errors.ts';
import { HtmlConverter } from '#src/formats/html/convert.ts';
import { dataUri } from '#src/formats/html/document.ts';
import { exclusionRule } from '#src/formats/html/visibility.ts';
import { decodeText } from '#src/text-formats/encoding.ts';
import { parseXml } from '#src/text-formats/xml.ts';
import { buildUnreadPicturesOmission } from '../shared/containers/unread-parts.ts';
import { xmlEncoding } from '../shared/containers/zip.ts';
import { finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import type { Parser } from '../shared/parser.ts';
import { readGeneric } from './generic/index.ts';
import { decodeEntities } from './source/entities.ts';
import { splitProlog } from './source/prolog.ts';
import { make } from './tree/build.ts';
import type { VocabularyContext } from './vocabularies/define.ts';
import { findVocabulary } from './vocabularies/registry.ts';

/**
 * Parses XML. Documents of known vocabularies are rewritten as HTML by their rules. Other documents are read by
 * their structure.
 */
export const xmlParser: Parser = {
  async open({ bytes, plan, budget }) {
    const { body, entities } = splitProlog(decodeText(bytes, xmlEncoding(bytes)).text);
    const root = parseXml(decodeEntities(body, entities));
    if (!root) throw new ParseError('FILE_IS_BROKEN', 'The file contains no XML element.');
    const flow = new Flow(plan, budget);
    const context: VocabularyContext = { budget, omit: (omission) => flow.omit(omission) };
    const {
      nodes,
      metadata = {},
      pictures = 0,
    } = findVocabulary(root)?.read(root, context) ?? readGeneric(root);
    if (pictures > 0) flow.omit(buildUnreadPicturesOmission(pictures));
    const document = make('', nodes);
    new HtmlConverter({
      flow,
      isExcluded: exclusionRule(document, plan.layout.html),
      image: (address) => ({ name: address, load: () => dataUri(address) }),
    }).convert(document);
    return finishDocument(flow, metadata);
  },
};
