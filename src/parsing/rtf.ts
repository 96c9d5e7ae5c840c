import { finishDocument } from './finish.ts';
import { Flow } from './flow/flow.ts';
import type { Parser } from './parser.ts';
import { RtfReader } from './rtf/reader.ts';

/** Rich Text Format, with pages by the breaks it asks for. */
export const rtfParser: Parser = {
  async open({ bytes, parameters, budget }) {
    const flow = new Flow(parameters, budget);
    const metadata = new RtfReader(flow, parameters).read(bytes);
    return finishDocument(flow, metadata);
  },
};
