import type { TextBlock } from './markdown-blocks.ts';

/** A look-up of the headings in force at an offset, outermost first; a heading is in force from its own start. */
export function headingsIn(blocks: readonly TextBlock[]): (offset: number) => string[] {
  const starts: number[] = [];
  const paths: string[][] = [];
  let path: { level: number; title: string }[] = [];
  for (const { kind, start, level, title } of blocks) {
    if (kind !== 'heading') continue;
    path = path.filter((heading) => heading.level < level!);
    if (title) path.push({ level: level!, title });
    starts.push(start);
    paths.push(path.map((heading) => heading.title));
  }
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (starts[middle]! <= offset) low = middle + 1;
      else high = middle;
    }
    return paths[low - 1]?.slice() ?? [];
  };
}
