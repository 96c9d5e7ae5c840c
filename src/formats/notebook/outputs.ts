import { getOwn } from '#src/lib/get-own.ts';
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
  svg: 'image/svg+xml',
  text: 'text/plain',
};

/** Removes the codes that set colors in a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal codes begin with the escape character
const stripTerminalCodes = (text: string) => text.replace(/\u001b\[[\d;?]{0,50}[A-Za-z]/g, '');

/** Returns printed text as a terminal shows it. A carriage return overwrites the line, as progress bars do. */
const showPrinted = (text: string) =>
  stripTerminalCodes(text)
    .split('\n')
    .map((line) => line.split('\r').findLast((state) => state !== '') ?? '')
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
  return new Map(
    Object.entries(data).map(([type, value]) => [getOwn(OLD_NAMES, type) ?? type, asText(value)]),
  );
}

async function writeResult(result: Map<string, string>, flow: Flow, plan: ParseInput['plan']): Promise<void> {
  const plain = result.get('text/plain') ?? '';
  // The plain text of many results only names their class, such as `<Figure size 640x480>`.
  const isDescription = plain === '' || /^<.*>$/s.test(plain.trim());
  const picture = PICTURE_TYPES.find((type) => result.has(type));
  if (picture !== undefined) {
    const source = `data:${picture};base64,${(result.get(picture) ?? '').replace(/\s/g, '')}`;
    flow.namedFigure(source, () => dataUri(source), { alt: isDescription ? '' : plain.slice(0, 200) });
    return;
  }
  const html = result.get('text/html');
  const markdown = result.get('text/markdown');
  const latex = result.get('text/latex');
  if (markdown !== undefined) await writeMarkdown(markdown, flow);
  else if (html !== undefined && (isDescription || /<table/i.test(html))) writeHtml(html, flow, plan);
  else if (latex !== undefined) await writeMarkdown(latex, flow);
  else writePlain(result, plain, isDescription, flow);
}

/** Writes the plain text of a result, and reports a better representation that cannot be read. */
function writePlain(result: Map<string, string>, plain: string, isDescription: boolean, flow: Flow): void {
  const unread = [...result.keys()].find((type) => type.includes('/') && !type.startsWith('text/'));
  if (!isDescription || unread === undefined) flow.code(showPrinted(plain));
  if (unread === 'image/svg+xml') {
    const message = 'A picture of the notebook was skipped because it is SVG.';
    flow.omit({ kind: 'picture_not_read', message });
  } else if (isDescription && unread !== undefined) {
    const message = `An output of the notebook was skipped because its type is ${unread.slice(0, 100)}.`;
    flow.omit({ kind: 'unsupported_object', message });
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
