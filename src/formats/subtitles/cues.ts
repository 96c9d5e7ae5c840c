/** A cue of a subtitle file: some lines of text and the time in seconds at which they are shown. */
export interface Cue {
  start: number;
  end: number;
  lines: string[];
}

const TIMING =
  /^[ \t]{0,20}(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})[ \t]{0,20}-->[ \t]{0,20}(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})/;

const toSeconds = (hours = '0', minutes = '0', seconds = '0', fraction = '0') =>
  Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(`0.${fraction}`);

function readTiming(line: string): Cue | undefined {
  const found = TIMING.exec(line);
  if (!found) return undefined;
  const [, h1, m1, s1, f1, h2, m2, s2, f2] = found;
  return { start: toSeconds(h1, m1, s1, f1), end: toSeconds(h2, m2, s2, f2), lines: [] };
}

/**
 * Reads the cues of a WebVTT or SubRip file. The header, identifiers, settings, notes, style sheets and
 * regions are left out. Other text that follows a blank line belongs to the cue before.
 */
export function readCues(text: string): Cue[] {
  const isWebVtt = text.startsWith('WEBVTT');
  const lines = text.split(/\r\n?|\n/);
  const cues: Cue[] = [];
  let cue: Cue | undefined;
  let isInsideBlock = false;
  lines.forEach((line, at) => {
    const timed = line.includes('-->') ? readTiming(line) : undefined;
    if (timed) {
      cue = timed;
      cues.push(timed);
      isInsideBlock = true;
      return;
    }
    if (line.trim() === '') {
      isInsideBlock = false;
      return;
    }
    if (isWebVtt && !isInsideBlock && /^(?:NOTE|STYLE|REGION)(?:\s|$)/.test(line)) cue = undefined;
    if (!cue || isIdentifier(line, lines[at + 1], isWebVtt || !isInsideBlock)) return;
    cue.lines.push(line.trim());
    isInsideBlock = true;
  });
  return cues;
}

/** Returns whether a line is the identifier above the timing of the next cue. */
function isIdentifier(line: string, next: string | undefined, isFirst: boolean): boolean {
  if (next === undefined || !next.includes('-->') || !readTiming(next)) return false;
  return isFirst || /^\s{0,20}\d{1,9}\s{0,20}$/.test(line);
}
