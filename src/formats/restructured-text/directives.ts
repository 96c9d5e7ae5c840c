import { getOwn } from '#src/lib/get-own.ts';
import { readDelimited } from '#src/text-formats/separated-values.ts';
import { layOutGrid } from '../shared/flow/grid.ts';
import type { RstConverter } from './convert.ts';
import { readListTable } from './tables.ts';

/** Directive such as `.. note::` with its options and its indented content. */
export interface Directive {
  name: string;
  argument: string;
  options: ReadonlyMap<string, string>;
  content: readonly string[];
}

const CODE = /^(?:code-block|code|sourcecode|parsed-literal|prompt|testcode|ipython|graphviz|mermaid)$/;
const ADMONITION =
  /^(?:note|warning|tip|hint|important|caution|danger|error|attention|seealso|todo|versionadded|versionchanged|deprecated|versionremoved)$/;
const DROPPED =
  /^(?:contents|sectnum|index|highlight|currentmodule|module|default-role|meta|tabularcolumns|role|title|section-numbering|sectionauthor|codeauthor|program|default-domain|py:module|py:currentmodule|testsetup|testcleanup|target-notes|cssclass|rst-class)$/;
const FILES = /^(?:include|literalinclude|auto\w+|autosummary|plot|csv-include)$/;
const ADMONITION_TITLES: Record<string, string> = {
  seealso: 'See also',
  versionadded: 'Added in version',
  versionchanged: 'Changed in version',
  versionremoved: 'Removed in version',
  deprecated: 'Deprecated since version',
};

/** Reads a directive from its first line and the indented lines below it. */
export function readDirective(name: string, argument: string, block: readonly string[]): Directive {
  const options = new Map<string, string>();
  let at = 0;
  for (let found = readOption(block[at]); found; found = readOption(block[++at]))
    options.set(found[1]!, found[2]?.trim() ?? '');
  while (at < block.length && block[at]!.trim() === '') at++;
  return { name: name.toLowerCase(), argument: argument.trim(), options, content: block.slice(at) };
}

const readOption = (line: string | undefined) => /^:([\w-]{1,50}):(?:[ \t](.*))?$/.exec(line ?? '');

/**
 * Writes the text that a directive shows. Directives that only change the layout or the index are left out. The
 * content of unknown directives is kept.
 */
export function writeDirective(converter: RstConverter, directive: Directive, depth: number): void {
  const { name, argument, options, content } = directive;
  const { flow } = converter;
  if (CODE.test(name)) flow.code(content.join('\n'), /^[\w+#-]{1,30}$/.test(argument) ? argument : '');
  else if (name === 'math') writeFormula(converter, [argument, ...content].join('\n').trim());
  else if (ADMONITION.test(name) || name === 'admonition') writeAdmonition(converter, directive, depth);
  else if (name === 'image' || name === 'figure') {
    converter.paragraph(options.get('alt') ?? '');
    converter.convert(content, depth);
  } else if (/^(?:csv-table|list-table|table)$/.test(name)) writeTable(converter, directive, depth);
  else if (/^(?:epigraph|highlights|pull-quote)$/.test(name))
    flow.quote(() => converter.convert(content, depth));
  else if (name === 'toctree') writeContents(converter, content);
  else if (FILES.test(name)) {
    const message = `The directive "${name}" inserts "${argument.slice(0, 200)}", which is not in the file.`;
    flow.omit({ kind: 'unsupported_object', message });
  } else if (name === 'raw') {
    const message = `Content that is only for the output format "${argument.slice(0, 50)}" was skipped.`;
    flow.omit({ kind: 'unsupported_object', message });
  } else if (name === 'header' || name === 'footer') converter.convert([argument, ...content], depth);
  else if (!DROPPED.test(name)) {
    const isCode = /(?:function|method|class|data|attribute|exception|module|option|envvar|decorator)$/.test(
      name,
    );
    if (argument !== '') flow.paragraph([{ text: argument, ...(isCode ? { code: true } : { bold: true }) }]);
    converter.convert(content, depth);
  }
}

function writeFormula({ flow }: RstConverter, latex: string): void {
  if (latex !== '') flow.block({ type: 'paragraph', text: latex, markdown: `$$\n${latex}\n$$` });
}

function writeAdmonition(converter: RstConverter, directive: Directive, depth: number): void {
  const { name, argument, content } = directive;
  const isVersion = /^(?:version|deprecated)/.test(name);
  const label = getOwn(ADMONITION_TITLES, name) ?? name.charAt(0).toUpperCase() + name.slice(1);
  const title = name === 'admonition' ? argument : isVersion ? `${label} ${argument}` : label;
  const lines = name === 'admonition' || isVersion ? content : [argument, ...content];
  converter.flow.quote(() => {
    converter.flow.paragraph([{ text: `${title}:`, bold: true }]);
    converter.convert(lines, depth);
  });
}

function writeTable(
  converter: RstConverter,
  { name, argument, options, content }: Directive,
  depth: number,
): void {
  if (argument !== '') converter.flow.paragraph([{ text: argument, bold: true }]);
  const render = (text: string) => converter.render(text);
  if (name === 'table') converter.convert(content, depth);
  else if (name === 'list-table') {
    const rows = readListTable(content, render);
    if (rows.length > 0) converter.flow.table(layOutGrid(rows));
    else converter.convert(content, depth);
  } else {
    const delimiter = options.get('delim') ?? ',';
    const separator = /^tab$/i.test(delimiter) ? '\t' : (delimiter[0] ?? ',');
    const text = [options.get('header') ?? '', content.join('\n')]
      .filter(Boolean)
      .join('\n')
      .replace(/, {1,20}(?=")/g, ',');
    if (options.has('file') || options.has('url')) {
      const message = `The rows of a table are in the file "${options.get('file') ?? options.get('url')}", which was not read.`;
      converter.flow.omit({ kind: 'unsupported_object', message });
    }
    converter.flow.table(readDelimited(text, separator).map((row) => row.map((cell) => render(cell.trim()))));
  }
}

function writeContents(converter: RstConverter, content: readonly string[]): void {
  for (const line of content) {
    const entry = line.trim().replace(/^(.*\S)\s*<[^<>]*>$/, '$1');
    if (entry !== '') converter.flow.listItem({ level: 0, ordered: false, runs: [{ text: entry }] });
  }
  converter.flow.endList();
}
