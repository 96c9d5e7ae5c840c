import type { Cue } from './cues.ts';

/** Words that one speaker says without a pause. `speaker` is absent if the file does not name one. */
export interface Speech {
  speaker?: string | undefined;
  text: string;
}

/** Pause in seconds after which a finished sentence ends the paragraph. */
const PAUSE_SECONDS = 3;
/** Number of characters after which a finished sentence ends the paragraph. */
const LONG_PARAGRAPH_CHARACTERS = 700;
/** Number of characters after which a cue ends the paragraph even in mid-sentence. */
const MAX_PARAGRAPH_CHARACTERS = 2_500;
/** Cues that follow each other this closely, in seconds, may repeat a line that stays on the screen. */
const CONTIGUOUS_SECONDS = 0.1;

const VOICE = /<v(?:\.[^\s<>]{0,100})?[ \t]+([^<>]{1,200})>/;
const MARKUP =
  /<\/?(?:b|i|u|s|c|v|ruby|rt|lang|font|span)(?:[.\s][^<>]{0,500})?>|<\d[\d:.]{0,20}>|\{\\[^{}]{0,100}\}/gi;
const ENTITIES: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&nbsp;': ' ',
  '&quot;': '"',
  '&#39;': "'",
  '&lrm;': '',
  '&rlm;': '',
};

function readLine(line: string): string {
  return line
    .replace(MARKUP, '')
    .replace(/&(?:amp|lt|gt|nbsp|quot|#39|lrm|rlm);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\s+/g, ' ')
    .trim();
}

/** Splits the lines of a cue into the words of each speaker. */
function splitVoices(lines: readonly string[]): Speech[] {
  const pieces = lines.join('\n').split(/(?=<v[.\s])/);
  return pieces.flatMap((piece) => {
    const speaker = VOICE.exec(piece)?.[1]?.trim();
    const text = piece.split('\n').map(readLine).filter(Boolean);
    // Two speakers without names in one cue are marked by dashes.
    return splitAtDashes(text).map((words) => ({ speaker, text: words }));
  });
}

function splitAtDashes(lines: readonly string[]): string[] {
  const isDialog = lines.length > 1 && lines.every((line) => /^[-‐–—] ?\S/.test(line));
  if (isDialog) return [...lines];
  return lines.length > 0 ? [lines.join(' ')] : [];
}

/** Removes lines that a cue repeats from the previous one because the captions roll up. */
function withoutRepeatedLines(cue: Cue, previous: Cue | undefined): readonly string[] {
  if (!previous || cue.start - previous.end > CONTIGUOUS_SECONDS) return cue.lines;
  const isFlash = cue.end - cue.start <= CONTIGUOUS_SECONDS;
  const [first = ''] = cue.lines;
  const last = previous.lines.at(-1);
  const repeats = last !== undefined && readLine(first) === readLine(last);
  return repeats && (isFlash || cue.lines.length > 1) ? cue.lines.slice(1) : cue.lines;
}

/** Joins consecutive cues of one speaker into paragraphs. */
export function joinSpeech(cues: readonly Cue[]): Speech[] {
  const speeches: Speech[] = [];
  let previous: Cue | undefined;
  for (const cue of cues) {
    const pause = previous ? cue.start - previous.end : 0;
    splitVoices(withoutRepeatedLines(cue, previous)).forEach((piece, at) => {
      const open = speeches.at(-1);
      const startsTurn = /^(?:>>|[-‐–—] ?\S)/.test(piece.text);
      if (
        !open ||
        open.speaker !== piece.speaker ||
        startsTurn ||
        endsHere(open.text, at === 0 ? pause : 0)
      ) {
        speeches.push({ ...piece });
      } else open.text += ` ${piece.text}`;
    });
    previous = cue;
  }
  return speeches;
}

function endsHere(text: string, pause: number): boolean {
  if (text.length > MAX_PARAGRAPH_CHARACTERS) return true;
  if (pause < PAUSE_SECONDS && text.length < LONG_PARAGRAPH_CHARACTERS) return false;
  return /[.!?…。！？]["'”’»)\]]?$/.test(text);
}
