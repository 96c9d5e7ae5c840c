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
