import { type Input, indexed } from '#test/process/hostile/input.ts';

function billionLaughs(): string {
  const entities = Array.from({ length: 12 }, (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`);
  return `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e0 "lol">${entities.join('')}]><x>&e12;</x>`;
}

function nestedMail(depth: number): string {
  const open = Array.from(
    { length: depth },
    (_, at) => `Content-Type: multipart/mixed; boundary="b${at}"\r\n\r\n--b${at}\r\n`,
  );
  return `From: a@b.example\r\nSubject: deep\r\n${open.join('')}Content-Type: text/plain\r\n\r\nend\r\n`;
}

function messagesWithin(depth: number): string {
  const one = 'From: a@b.example\r\nSubject: within\r\nContent-Type: message/rfc822\r\n\r\n';
  return `${one.repeat(depth)}From: a@b.example\r\n\r\nend\r\n`;
}

const deep = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);

/** Formats that nest, nested beyond any sense, and those that repeat. */
export const markup: Input[] = [
  indexed('JSON 1 million deep', 'deep.json', () => deep('[', ']', 1_000_000)),
  indexed(
    'JSON objects 300,000 deep',
    'objects.json',
    () => `${'{"a":'.repeat(300_000)}1${'}'.repeat(300_000)}`,
  ),
  indexed('JSON with a million members', 'wide.json', () => `[${'1,'.repeat(1_000_000)}1]`),
  indexed('XML with entities of entities', 'laughs.xml', billionLaughs),
  indexed('XML 300,000 deep', 'deep.xml', () => `<?xml version="1.0"?>${deep('<a>', '</a>', 300_000)}`),
  indexed('XML with 100,000 attributes', 'wide.xml', () => {
    const attributes = Array.from({ length: 100_000 }, (_, at) => `a${at}="1"`).join(' ');
    return `<?xml version="1.0"?><x ${attributes}/>`;
  }),
  indexed('HTML 300,000 deep, never closed', 'deep.html', () => `<!doctype html>${'<div>'.repeat(300_000)}`),
  indexed(
    'HTML of badly nested emphasis',
    'emphasis.html',
    () => `<!doctype html>${'<b><i></b>'.repeat(100_000)}x`,
  ),
  indexed('HTML of open attributes', 'attributes.html', () => `<!doctype html>${'<a b="'.repeat(300_000)}`),
  indexed(
    'HTML of tables in tables',
    'tables.html',
    () => `<!doctype html>${'<table><tr><td>'.repeat(20_000)}x`,
  ),
  indexed('HTML of lists in lists', 'lists.html', () => `<!doctype html>${'<ul><li>x'.repeat(20_000)}`),
  indexed('HTML of 3,000,000 backticks', 'fence.html', () => `<pre>${'`'.repeat(3_000_000)}</pre>`),
  indexed('HTML with a cell over all columns', 'span.html', () => {
    const row = '<tr><td colspan="1000" rowspan="65534">x</td></tr>';
    return `<!doctype html><table>${row.repeat(5_000)}</table>`;
  }),
  indexed('XML 240 deep around 2 MB of text', 'around.xml', () => {
    const open = `<article><body>${'<sec><p>'.repeat(120)}`;
    return `${open}${'word '.repeat(400_000)}${'</p></sec>'.repeat(120)}</body></article>`;
  }),
  indexed('LaTeX groups 1 million deep', 'deep.tex', () => deep('{', '}', 1_000_000)),
  indexed('LaTeX headings in headings', 'headings.tex', () => '\\section{a'.repeat(100_000)),
  indexed('LaTeX macros that double', 'macros.tex', () => {
    const names = Array.from({ length: 26 }, (_, at) => String.fromCharCode(97 + at));
    const macros = names.map(
      (name, at) => `\\def\\x${name}{\\x${names[at + 1] ?? 'end'}\\x${names[at + 1] ?? 'end'}}`,
    );
    return `${macros.join('\n')}\nWords \\xa`;
  }),
  indexed('LaTeX captions in 50,000 open environments', 'captions.tex', () =>
    '\\begin{a}\\caption{b}'.repeat(50_000),
  ),
  indexed('AsciiDoc list continuations in each other', 'attached.adoc', () => '* a\n+\n'.repeat(200_000)),
  indexed(
    'AsciiDoc of references to a long attribute',
    'attributes.adoc',
    () => `:a: ${'b'.repeat(400)}\n\n${'{a}'.repeat(600_000)}`,
  ),
  indexed('reStructuredText of open emphasis', 'emphasis.rst', () => '**a '.repeat(400_000)),
  indexed(
    'reStructuredText table of many columns and lines',
    'wide.rst',
    () => `${'= '.repeat(200_000)}\n${'a\n'.repeat(200_000)}`,
  ),
  indexed('Org drawers without an end', 'drawers.org', () => ':a:\n'.repeat(300_000)),
  indexed('subtitles of 200,000 timing lines', 'cues.vtt', () => {
    return `WEBVTT\n\n${'00:01.000 --> 00:02.000\na\n\n'.repeat(200_000)}`;
  }),
  indexed('notebook of 100,000 cells', 'cells.ipynb', () => {
    const cell = '{"cell_type":"markdown","source":"a"},';
    return `{"cells":[${cell.repeat(100_000)}0]}`;
  }),
  indexed('notebook with a picture that is shown 50,000 times', 'attached.ipynb', () => {
    const source = '![](attachment:a)'.repeat(50_000);
    const attachments = { a: { 'image/png': 'A'.repeat(1_000_000) } };
    return JSON.stringify({ cells: [{ cell_type: 'markdown', source, attachments }] });
  }),
  indexed('RTF groups 1 million deep', 'deep.rtf', () => `{\\rtf1 ${deep('{', '}', 1_000_000)}}`),
  indexed('RTF of open groups', 'open.rtf', () => `{\\rtf1 ${'{\\b a'.repeat(200_000)}`),
  indexed('mail parts 5,000 deep', 'deep.eml', () => nestedMail(5_000)),
  indexed('mail within mail, 2,000 deep', 'within.eml', () => messagesWithin(2_000)),
  indexed('mail of 200,000 boundaries', 'boundaries.eml', () => {
    const head = 'From: a@b.example\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n';
    return head + '--b\r\n\r\nx\r\n'.repeat(200_000);
  }),
  indexed(
    'mail with a header of 2 MB',
    'header.eml',
    () => `From: ${'<a@b.example>, '.repeat(130_000)}\r\n\r\nx`,
  ),
];
