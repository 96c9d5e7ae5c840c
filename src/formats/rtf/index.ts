import type { Parser } from '../shared/driver.ts';
import { finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import { RtfReader } from './reader.ts';

/** Rich Text Format, with pages by the breaks it asks for. */
export const rtfParser: Parser = {
  async open({ bytes, plan, budget }) {
    const flow = new Flow(plan, budget);
    const metadata = new RtfReader(flow, plan).read(bytes);
    return finishDocument(flow, metadata);
  },
};
