import type { Element, ElementContent, Root, RootContent } from 'hast';
import { Parser } from 'htmlparser2';

/** Elements of HTML in Markdown that are shown. Of others only the text is shown. */
const SHOWN = new Set(
  'table thead tbody tfoot tr th td caption br p span b strong i em u s sub sup code ul ol li'.split(' '),
);
/** Elements whose text is code, which is left out. */
const LEFT_OUT = new Set(['script', 'style', 'template', 'title', 'noscript', 'iframe', 'textarea']);
/** Maximum depth of elements. Deeper ones become children of the last allowed one. */
const MAX_DEPTH = 40;
const MAX_SPAN = 1000;
/** Maximum number of tags in one place. The parser needs quadratic time for nested elements, so more are shown as text. */
const MAX_TAGS = 20_000;

type Parent = Root | Element;

/**
 * Plugin for rehype that replaces HTML in Markdown, such as tables with merged cells, by elements. Only the elements
 * in `SHOWN` are created, and of their attributes only the numbers `colspan` and `rowspan` remain, so HTML of a document
 * can neither run code nor load anything.
 */
export function htmlElements() {
  return (tree: Root) => replaceHtml(tree);
}

function replaceHtml(parent: Parent): void {
  const given = parent.children as RootContent[];
  for (const child of given) if (child.type === 'element') replaceHtml(child);
  const html = given.flatMap((child) => (isRaw(child) ? child.value : []));
  if (html.length === 0 || html.join('').split('<', MAX_TAGS + 2).length > MAX_TAGS + 1) return;
  parent.children = [];
  const open: { name: string; target: Parent }[] = [{ name: '', target: parent }];
  let ignored = 0;
  const append = (child: RootContent) => {
    if (ignored === 0) open.at(-1)!.target.children.push(child as ElementContent);
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      if (LEFT_OUT.has(name)) ignored++;
      const element: Element = {
        type: 'element',
        tagName: name,
        properties: readSpans(attributes),
        children: [],
      };
      if (!SHOWN.has(name) || open.length > MAX_DEPTH) return;
      append(element);
      open.push({ name, target: element });
    },
    ontext: (value) => append({ type: 'text', value }),
    onclosetag(name) {
      if (LEFT_OUT.has(name)) ignored = Math.max(0, ignored - 1);
      if (open.at(-1)!.name === name) open.pop();
    },
  });
  for (const child of given) {
    if (isRaw(child)) parser.write(child.value);
    else append(child);
  }
  parser.end();
}

/** HTML in Markdown. Its type is known only to packages that this one does not import. */
const isRaw = (child: RootContent): child is RootContent & { value: string } =>
  (child.type as string) === 'raw';

function readSpans(attributes: Record<string, string>): Record<string, number> {
  const spans = [
    ['colSpan', Number(attributes.colspan)],
    ['rowSpan', Number(attributes.rowspan)],
  ] as const;
  return Object.fromEntries(
    spans.filter(([, span]) => Number.isInteger(span) && span > 1 && span <= MAX_SPAN),
  );
}
