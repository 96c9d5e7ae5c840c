import { getOwn } from '#src/lib/get-own.ts';
import { elements, getTextContent, type XmlElement } from '#src/text-formats/xml.ts';
import { readLetters, readUpright } from '../letters.ts';
import { localName } from '../local-name.ts';
import type { MathNode, MathStyle } from '../nodes.ts';

const SCRIPTS: Record<string, MathStyle> = {
  script: 'script',
  fraktur: 'fraktur',
  'double-struck': 'double-struck',
  'sans-serif': 'sans-serif',
  monospace: 'monospace',
};

/** Properties of a run in a formula that decide how its text is written. */
interface RunLook {
  /** True if the text is ordinary text and not part of the formula. */
  isText: boolean;
  isUpright: boolean;
  style: MathStyle | undefined;
}

function readLook(run: XmlElement): RunLook {
  const look: RunLook = { isText: false, isUpright: false, style: undefined };
  for (const properties of elements(run)) {
    if (localName(properties) !== 'rPr') continue;
    for (const one of elements(properties)) {
      const setting = one.attributes['m:val'] ?? one.attributes.val ?? one.attributes['w:val'];
      const isOff = ['0', 'off', 'false'].includes(setting ?? '');
      const name = localName(one);
      if (name === 'nor' && !isOff) look.isText = true;
      else if (name === 'sty' && setting === 'p') look.isUpright = true;
      else if (name === 'sty' && setting === 'b') [look.isUpright, look.style] = [true, look.style ?? 'bold'];
      else if (name === 'sty' && setting === 'bi') look.style ??= 'bold-italic';
      else if (name === 'scr') look.style = getOwn(SCRIPTS, setting ?? '') ?? look.style;
    }
  }
  return look;
}

function readText(text: string, { isText, isUpright, style }: RunLook): MathNode[] {
  if (isText) return text.trim() === '' ? [{ kind: 'space' }] : [{ kind: 'text', text }];
  return isUpright ? readUpright(text, style) : readLetters(text, style);
}

/** Reads a run of a formula, which has one look. Line breaks inside the run become nodes of their own. */
export function readRun(run: XmlElement): MathNode[] {
  const look = readLook(run);
  return elements(run).flatMap((element): MathNode[] => {
    const name = localName(element);
    if (name === 't' || name === 'delText') return readText(getTextContent(element), look);
    if (name === 'br' || name === 'cr') return [{ kind: 'break' }];
    if (name === 'tab') return [{ kind: 'space' }];
    if (name !== 'sym') return [];
    const code = Number.parseInt(element.attributes['w:char'] ?? '', 16);
    return code > 0x20 && code < 0xe000 ? [{ kind: 'leaf', text: String.fromCharCode(code) }] : [];
  });
}
