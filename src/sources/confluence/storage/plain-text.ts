import { textOf, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';

const INLINE = new Set(
  'a b big code del em font i ins kbd mark q s samp small span strike strong sub sup tt u var'.split(' '),
);
const CELLS = new Set(['td', 'th']);

/** What HTML says without how it looks: a line for each block, cells of a row beside each other. */
export function plainText(root: XmlElement): string {
  const lines: string[] = [];
  let line = '';
  const end = () => {
    if (line.trim() !== '') lines.push(line.trim());
    line = '';
  };
  const walk = (node: XmlNode) => {
    if (typeof node === 'string') line += node.replaceAll(/\s+/g, ' ');
    else if (node.name === 'img') line += ` ${node.attributes.alt ?? ''} `;
    else if (node.name === 'pre') {
      end();
      lines.push(textOf(node));
    } else if (INLINE.has(node.name)) inside(node);
    else if (CELLS.has(node.name)) {
      line += textOf(node).replaceAll(/\s+/g, ' ').concat('\t');
    } else {
      end();
      inside(node);
      end();
    }
  };
  const inside = (element: XmlElement) => {
    for (const node of element.children) walk(node);
  };
  walk(root);
  end();
  return `${lines.join('\n')}\n`;
}
