import { markdownBlocks } from './markdown-blocks.ts';

const MARKUP = /[*_`]+|<[^>\n]{1,80}>|\[([^\]\n]{1,200})\]\([^)\n]{0,500}\)/g;

/** A line marked as a heading may be of any length, and every chunk below it repeats it. */
const LONGEST_HEADING = 1_000;

/** A look-up of the headings in force at an offset, outermost first; a heading is in force from its own start. */
export function headingsIn(text: string): (offset: number) => string[] {
  const starts: number[] = [];
  const paths: string[][] = [];
  let path: { level: number; title: string }[] = [];
  for (const block of markdownBlocks(text)) {
    if (block.kind !== 'heading') continue;
    const title = block.title!.replace(MARKUP, '$1').trim().slice(0, LONGEST_HEADING).toWellFormed();
    path = path.filter(({ level }) => level < block.level!);
    if (title !== '') path.push({ level: block.level!, title });
    starts.push(block.start);
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
