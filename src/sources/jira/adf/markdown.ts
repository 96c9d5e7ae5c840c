import { inline, type Rendered, renderBlock } from './blocks.ts';
import { type AdfNode, toAdfNode } from './document.ts';
import { inlineText } from './inline.ts';

/** Maximum depth of nested nodes that are rendered. Deeper nodes become plain text. */
const DEEPEST = 60;

interface Frame {
  node: AdfNode;
  parts: Rendered[];
  next: number;
}

const createFrame = (value: unknown): Frame => ({ node: toAdfNode(value), parts: [], next: 0 });

/**
 * Converts a document in the Atlassian Document Format to Markdown. Nodes of an unknown type become plain
 * text. `below` is the level of the heading above the text.
 */
export function adfToMarkdown(document: unknown, below = 0): string {
  const stack = [createFrame(document)];
  for (;;) {
    const frame = stack.at(-1)!;
    const { node, parts } = frame;
    const words = inlineText(node);
    if (words === undefined && frame.next < node.content.length) {
      const child = node.content[frame.next++];
      if (stack.length < DEEPEST) stack.push(createFrame(child));
      else parts.push(inline(plainText(child)));
      continue;
    }
    stack.pop();
    const done = words === undefined ? renderBlock(node, parts, below) : inline(words);
    const above = stack.at(-1);
    if (!above) return done.text.trim();
    // Markdown signs would appear as text inside a code block, so the text stays unchanged.
    above.parts.push(above.node.type === 'codeBlock' && node.type === 'text' ? inline(node.text) : done);
  }
}

/** Returns all text below a node. The function uses no recursion, so any depth is safe. */
function plainText(root: unknown): string {
  const texts: string[] = [];
  const waiting = [root];
  while (waiting.length > 0) {
    const { text, content } = toAdfNode(waiting.pop());
    if (text) texts.push(text);
    for (let at = content.length - 1; at >= 0; at--) waiting.push(content[at]);
  }
  return texts.join(' ');
}
