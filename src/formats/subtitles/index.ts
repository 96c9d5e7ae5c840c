import { ParseError } from '#src/documents/errors.ts';
import { decodeText } from '#src/text-formats/encoding.ts';
import { finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import type { Parser } from '../shared/parser.ts';
import { readCues } from './cues.ts';
import { joinSpeech } from './speech.ts';

/**
 * Parses WebVTT and SubRip subtitles. Consecutive cues of one speaker become a paragraph that begins with the
 * name of the speaker. Times are left out.
 */
export const subtitleParser: Parser = {
  async open({ bytes, plan, budget }) {
    const cues = readCues(decodeText(bytes).text);
    if (cues.length === 0) {
      throw new ParseError(
        'FILE_IS_BROKEN',
        'The subtitle file has no cue with a timing line such as 00:00:01.000 --> 00:00:03.000. If it is plain text, name it .txt.',
      );
    }
    const flow = new Flow(plan, budget);
    for (const { speaker, text } of joinSpeech(cues)) {
      flow.paragraph([...(speaker ? [{ text: `${speaker}:`, bold: true }, { text: ' ' }] : []), { text }]);
    }
    return finishDocument(flow);
  },
};
