import { finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import type { Parser } from '../shared/parser.ts';
import { RtfReader } from './reader.ts';

/** Parses Rich Text Format. Pages follow explicit page breaks. */
export const rtfParser: Parser = {
  async open({ bytes, plan, budget }) {
    const flow = new Flow(plan, budget);
    const metadata = new RtfReader(flow, plan).read(bytes);
    return finishDocument(flow, metadata);
  },
};
