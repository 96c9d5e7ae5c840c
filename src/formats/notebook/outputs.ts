import { parseMarkup } from '#src/text-formats/xml.ts';
import { HtmlConverter } from '../html/convert.ts';
import { dataUri } from '../html/document.ts';
import { exclusionRule } from '../html/visibility.ts';
import { writeMarkdown } from '../markdown/index.ts';
import type { Flow } from '../shared/flow/flow.ts';
import type { ParseInput } from '../shared/parser.ts';
import { asObject, asText, type JsonObject } from './cells.ts';

const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
/** Names that nbformat 3 uses for the media types of outputs. */
const OLD_NAMES: Record<string, string> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  html: 'text/html',
  latex: 'text/latex',
  text: 'text/plain',
};

/** Removes the codes that set colors in a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal codes begin with the escape character
const stripTerminalCodes = (text: string) => text.replace(/\u001b\[[\d;?]{0,50}[A-Za-z]/g, '');

/** Returns printed text as a terminal shows it. A carriage return overwrites the line, as progress bars do. */
const showPrinted = (text: string) =>
  stripTerminalCodes(text)
    .split('\n')
    .map((line) => line.replace(/\r+$/, ''))
    .map((line) => line.slice(line.lastIndexOf('\r') + 1))
    .join('\n');

/** Adds one output of a code cell: printed text, an error, or the best representation of a result. */
export async function writeOutput(output: JsonObject, flow: Flow, plan: ParseInput['plan']): Promise<void> {
  const type = asText(output.output_type);
  if (type === 'stream') flow.code(showPrinted(asText(output.text)));
  else if (type === 'error' || type === 'pyerr') writeError(output, flow);
  else await writeResult(readResult(output), flow, plan);
}

function writeError(output: JsonObject, flow: Flow): void {
  const { traceback } = output;
  const lines = Array.isArray(traceback) ? traceback.map((line) => asText(line)).join('\n') : '';
  flow.code(stripTerminalCodes(lines.trim() || `${asText(output.ename)}: ${asText(output.evalue)}`));
}

function readResult(output: JsonObject): Map<string, string> {
  const data = output.data === undefined ? output : asObject(output.data);
  return new Map(Object.entries(data).map(([type, value]) => [OLD_NAMES[type] ?? type, asText(value)]));
}

async function writeResult(result: Map<string, string>, flow: Flow, plan: ParseInput['plan']): Promise<void> {
  const plain = result.get('text/plain') ?? '';
  const pictures = PICTURE_TYPES.filter((type) => result.has(type));
  for (const type of pictures.slice(0, 1)) {
    const source = `data:${type};base64,${(result.get(type) ?? '').replace(/\s/g, '')}`;
    flow.namedFigure(source, () => dataUri(source), {
      alt: plain.startsWith('<') ? '' : plain.slice(0, 200),
    });
  }
  if (pictures.length > 0) return;
  const markdown = result.get('text/markdown');
  const html = result.get('text/html');
  const latex = result.get('text/latex');
  if (markdown !== undefined) await writeMarkdown(markdown, flow);
  else if (html !== undefined && (plain === '' || /<table/i.test(html))) writeHtml(html, flow, plan);
  else if (latex !== undefined) await writeMarkdown(latex, flow);
  else if (plain !== '') flow.code(showPrinted(plain));
  else if (result.has('image/svg+xml')) {
    flow.omit({
      kind: 'picture_not_read',
      message: 'A picture of the notebook was skipped because it is SVG.',
    });
  }
}

function writeHtml(html: string, flow: Flow, plan: ParseInput['plan']): void {
  const root = parseMarkup(html, { html: true });
  new HtmlConverter({
    flow,
    isExcluded: exclusionRule(root, plan.layout.html),
    image: (address) => ({ name: address, load: () => dataUri(address) }),
  }).convert(root);
}
