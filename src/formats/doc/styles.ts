import { viewOf, type WordFile } from './file-information.ts';

const STYLES = 1;
const LISTS = 73;
const LIST_USES = 74;
const TITLE = 62;
const NO_BASE = 0xfff;
const MAX_BASES = 11;
const BULLET = 23;
const NO_NUMBER = 255;
const LIST_SIZE = 28;
const LEVELS = 9;

/** The level of each style's headings, 1 to 9, its own or that of the style that it is based on. */
export function headingStyles(file: WordFile): Map<number, number> {
  const sheet = file.table(STYLES);
  const view = viewOf(sheet);
  const styles = new Map<number, { kind: number; base: number }>();
  if (sheet.length >= 4) {
    const count = view.getUint16(2, true);
    let at = 2 + view.getUint16(0, true);
    for (let index = 0; index < count && at + 2 <= sheet.length; index++) {
      const size = view.getUint16(at, true);
      if (size >= 4 && at + 6 <= sheet.length) {
        styles.set(index, {
          kind: view.getUint16(at + 2, true) & 0xfff,
          base: view.getUint16(at + 4, true) >> 4,
        });
      }
      at += 2 + size + (size % 2);
    }
  }
  const levels = new Map<number, number>();
  // These numbers are headings in every document.
  for (let level = 1; level <= 9; level++) levels.set(level, level);
  for (const index of styles.keys()) {
    let style = index;
    for (let depth = 0; depth < MAX_BASES && style !== NO_BASE; depth++) {
      const { kind = 0, base = NO_BASE } = styles.get(style) ?? {};
      if (kind >= 1 && kind <= 9) levels.set(index, kind);
      if (kind === TITLE) levels.set(index, 1);
      if (levels.has(index)) break;
      style = base;
    }
  }
  return levels;
}

/** Whether the items of a list, by its number and a level, are numbered. */
export function numberedLists(file: WordFile): (list: number, level: number) => boolean {
  const numbered = new Map<number, boolean[]>();
  const uses = file.table(LIST_USES);
  const lists = file.table(LISTS);
  const levels = file.after(LISTS);
  const [view, levelView] = [viewOf(lists), viewOf(levels)];
  let at = 0;
  const count = lists.length >= 2 ? view.getUint16(0, true) : 0;
  for (let index = 0; index < count && 2 + (index + 1) * LIST_SIZE <= lists.length; index++) {
    const start = 2 + index * LIST_SIZE;
    const isSimple = (lists[start + 26]! & 1) === 1;
    const kinds: boolean[] = [];
    for (let level = 0; level < (isSimple ? 1 : LEVELS) && at + 30 <= levels.length; level++) {
      const kind = levels[at + 4]!;
      kinds.push(kind !== BULLET && kind !== NO_NUMBER);
      at += 28 + levels[at + 24]! + levels[at + 25]!;
      if (at + 2 <= levels.length) at += 2 + levelView.getUint16(at, true) * 2;
    }
    numbered.set(view.getUint32(start, true), kinds);
  }
  const useView = viewOf(uses);
  return (list, level) => {
    const place = 4 + (list - 1) * 16;
    if (list < 1 || place + 4 > uses.length) return false;
    return numbered.get(useView.getUint32(place, true))?.[level] ?? false;
  };
}
