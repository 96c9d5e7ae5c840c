import { writeHtml } from '../eml/write.ts';
import { finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import type { Parser } from '../shared/parser.ts';
import { containsHtml, unpackHtml } from './encapsulated-html.ts';
import { RtfReader } from './reader.ts';

/** Parses Rich Text Format. Pages follow explicit page breaks. HTML that Outlook packs into RTF is read as HTML. */
export const rtfParser: Parser = {
  async open({ bytes, plan, budget }) {
    const flow = new Flow(plan, budget);
    if (containsHtml(bytes)) {
      writeHtml(flow, unpackHtml(bytes), plan, () => undefined);
      return finishDocument(flow);
    }
    const metadata = new RtfReader(flow, plan).read(bytes);
    return finishDocument(flow, metadata);
  },
};
