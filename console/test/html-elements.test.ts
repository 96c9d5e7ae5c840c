import type { Element, Root, RootContent } from 'hast';
import { expect, it } from 'vitest';
import { htmlElements } from '../src/screens/parse/html-elements.ts';

/** Returns the tree that replaces HTML in Markdown. */
function replace(...parts: (string | RootContent)[]): Root {
  const children = parts.map((part) => (typeof part === 'string' ? { type: 'raw', value: part } : part));
  const tree = { type: 'root', children } as Root;
  htmlElements()(tree);
  return tree;
}

const write = (node: Root | RootContent): string => {
  if (node.type === 'text') return node.value;
  if (node.type === 'root') return node.children.map(write).join('');
  const { tagName, properties, children } = node as Element;
  const spans = Object.entries(properties).map(([name, value]) => ` ${name}=${value}`);
  return `<${tagName}${spans.join('')}>${children.map(write).join('')}</${tagName}>`;
};

it('creates tables with merged cells, also without closing tags', () => {
  expect(write(replace('<TABLE><tr><th colspan=2>a &amp; b<tr><td rowspan="3">c<td>d'))).toBe(
    '<table><tr><th colSpan=2>a & b</th></tr><tr><td rowSpan=3>c</td><td>d</td></tr></table>',
  );
});

it('keeps Markdown between the tags of inline HTML', () => {
  const strong: Element = {
    type: 'element',
    tagName: 'em',
    properties: {},
    children: [{ type: 'text', value: 'x' }],
  };
  expect(write(replace('<b>', strong, '</b>', { type: 'text', value: ' y' }))).toBe('<b><em>x</em></b> y');
});

it('creates neither code nor addresses nor styles', () => {
  const hostile =
    '<p style="x" onclick="y" class="z" id="i">a<script>b()</script><img src="https://x.example/" onerror="c()">' +
    '<a href="javascript:d()">e</a><iframe srcdoc="f"></iframe><svg onload="g()"><title>h</title></svg></p><form><input></form>';
  expect(write(replace(hostile))).toBe('<p>ae</p>');
  expect(write(replace('<td colspan="99999999" rowspan="-1">k</td>'))).toBe('<td>k</td>');
});

it('limits the depth of elements', () => {
  const written = write(replace('<b>'.repeat(10_000), 'x'));
  expect(written.match(/<b>/g)?.length).toBe(40);
});

it('leaves HTML with too many tags as it is', () => {
  const { children } = replace('<b>'.repeat(30_000));
  expect(children).toMatchObject([{ type: 'raw' }]);
});
