import { inline, type Rendered, rendered } from './blocks.ts';
import { type AdfNode, nodeOf } from './document.ts';
import { inlineText } from './inline.ts';

/** Maximum nesting depth that is rendered. Deeper nodes become plain text. */
const DEEPEST = 60;

interface Frame {
  node: AdfNode;
  parts: Rendered[];
  next: number;
}

const frameOf = (value: unknown): Frame => ({ node: nodeOf(value), parts: [], next: 0 });

/**
 * Converts an Atlassian document to Markdown. Unknown nodes are reduced to their text. `below` is the heading
 * level of the surrounding text.
 */
export function adfToMarkdown(document: unknown, below = 0): string {
  const stack = [frameOf(document)];
  for (;;) {
    const frame = stack.at(-1)!;
    const { node, parts } = frame;
    const words = inlineText(node);
    if (words === undefined && frame.next < node.content.length) {
      const child = node.content[frame.next++];
      if (stack.length < DEEPEST) stack.push(frameOf(child));
      else parts.push(inline(plainText(child)));
      continue;
    }
    stack.pop();
    const done = words === undefined ? rendered(node, parts, below) : inline(words);
    const above = stack.at(-1);
    if (!above) return done.text.trim();
    // Text inside a code block must not get Markdown signs.
    above.parts.push(above.node.type === 'codeBlock' && node.type === 'text' ? inline(node.text) : done);
  }
}

/** Returns all text below a node. Uses no recursion, so any depth is safe. */
function plainText(root: unknown): string {
  const texts: string[] = [];
  const waiting = [root];
  while (waiting.length > 0) {
    const { text, content } = nodeOf(waiting.pop());
    if (text) texts.push(text);
    for (let at = content.length - 1; at >= 0; at--) waiting.push(content[at]);
  }
  return texts.join(' ');
}
