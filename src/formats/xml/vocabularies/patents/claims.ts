import { elements, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';
import { findAll, localName, make, readStart } from '../../tree/build.ts';
import type { Rewriter } from '../../tree/rewriter.ts';

/** Matches the number in front of a claim, such as "1." or "1 .". */
const NUMBER = /^\s*(\d{1,5})\s*[.)]\s*/;

/**
 * Removes the printed number from the start of a claim, because the list item has it. The number may be in an
 * element of its own, such as `<b>1</b>. A device`.
 */
function removeNumber(nodes: readonly XmlNode[], number: string): XmlNode[] {
  const text = nodes
    .map((node) => (typeof node === 'string' ? node.slice(0, 200) : readStart(node, 200)))
    .join('');
  const match = NUMBER.exec(text.slice(0, 200));
  if (!match || Number(match[1]) !== Number(number)) return [...nodes];
  const rest = [...nodes];
  let missing = `${match[1]}.`.replace(/^0+(?=\d)/, '');
  while (missing !== '' && rest.length > 0) {
    const [first] = rest;
    const part = (typeof first === 'string' ? first : readStart(first, 200)).trimStart();
    if (part === '') rest.shift();
    else if (typeof first === 'string') {
      let at = 0;
      while (missing !== '' && at < part.length && (part[at] === missing[0] || part[at] === ' ')) {
        if (part[at] !== ' ') missing = missing.slice(1);
        at++;
      }
      if (at === 0) break;
      rest[0] = part.slice(at).trimStart();
      if (missing !== '') rest.shift();
    } else if (missing.startsWith(part.trim())) {
      missing = missing.slice(part.trim().length);
      rest.shift();
    } else if (part.startsWith(missing)) {
      rest[0] = { ...first!, children: removeNumber(first!.children, number) };
      missing = '';
    } else break;
  }
  return rest;
}

/**
 * Writes the parts of a claim. The parts inside a claim become nested list items, and text without parts stays
 * in the item of the claim.
 */
function writeClaimText(text: XmlElement, rewriter: Rewriter): XmlNode[] {
  const nodes: XmlNode[] = [];
  let steps: XmlNode[] = [];
  const endSteps = () => {
    if (steps.length > 0) nodes.push(make('ul', steps));
    steps = [];
  };
  for (const node of text.children) {
    const isStep = typeof node !== 'string' && localName(node.name) === 'claim-text';
    if (isStep) steps.push(make('li', writeClaimText(node, rewriter)));
    else if (typeof node !== 'string' || node.trim() !== '') {
      if (steps.length > 0) endSteps();
      nodes.push(...inlineNode(node, rewriter));
    } else if (steps.length === 0) nodes.push(node);
  }
  endSteps();
  return nodes;
}

/** Writes a reference to another claim, whose text has the same name as the parts of a claim. */
function inlineNode(node: XmlNode, rewriter: Rewriter): XmlNode[] {
  if (typeof node === 'string') return [node];
  if (localName(node.name) !== 'dependent-claim-reference') return rewriter.inline(make('', [node]));
  return [
    make(
      'span',
      findAll(node, 'claim-text').flatMap((part) => rewriter.inline(part)),
    ),
  ];
}

function writeClaim(claim: XmlElement, at: number, rewriter: Rewriter): XmlElement {
  const number = String(
    Number(/(\d+)$/.exec(claim.attributes.num ?? claim.attributes.id ?? '')?.[1]) || at + 1,
  );
  const content: XmlNode[] = [];
  for (const part of elements(claim)) {
    const nodes =
      localName(part.name) === 'claim-text' ? writeClaimText(part, rewriter) : rewriter.rewrite(part);
    if (content.length > 0) content.push(' ');
    content.push(...nodes);
  }
  return make('li', removeNumber(content, number), { value: number });
}

/** Writes the claims of a patent as a numbered list under the heading "Claims". */
export function writeClaims(
  claims: XmlElement,
  statement: XmlElement | undefined,
  rewriter: Rewriter,
): XmlNode[] {
  const items = findAll(claims, 'claim').map((claim, at) => writeClaim(claim, at, rewriter));
  const headings = elements(claims).filter(({ name }) => /^heading$/.test(localName(name)));
  const introductions = [...(statement ? [statement] : []), ...headings].map((one) =>
    make('p', rewriter.inline(one)),
  );
  return items.length === 0 ? [] : [make('h2', ['Claims']), ...introductions, make('ol', items)];
}
