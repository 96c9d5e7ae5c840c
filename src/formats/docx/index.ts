import type { BlockType } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import { child, descendants, type XmlElement } from '#src/text-formats/xml.ts';
import { DrawingGraphics } from '../shared/charts/drawing-graphics.ts';
import { openPackage } from '../shared/containers/ooxml-package.ts';
import { buildDeletionOmission, listUnreadParts, withOmissions } from '../shared/containers/unread-parts.ts';
import { writeComment } from '../shared/flow/comments.ts';
import { finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import type { Parser } from '../shared/parser.ts';
import { type BodyContext, BodyReader } from './body.ts';
import { type Comment, Comments } from './comments.ts';
import { Notes } from './notes.ts';
import { Numbering } from './numbering.ts';
import { readStyles } from './styles.ts';

function pageSize(body: XmlElement): { width: number; height: number } | undefined {
  const size = descendants(body, 'w:pgSz')[0]?.attributes;
  const width = Number(size?.['w:w']) / 20;
  const height = Number(size?.['w:h']) / 20;
  return width > 0 && height > 0 ? { width, height } : undefined;
}

/**
 * Parses Word documents. Pages follow explicit page and section breaks, because the format does not store the
 * page layout.
 */
export const docxParser: Parser = {
  async open({ bytes, plan, budget }) {
    const opened = openPackage(bytes, 'word/document.xml', budget);
    const related = [...opened.relationships(opened.main).values()];
    const part = (type: string) => related.find((one) => one.type === type && !one.external)?.target;
    const body = child(opened.xml(opened.main), 'w:body');
    if (!body) throw new ParseError('FILE_IS_BROKEN', 'The file is damaged: the document has no body.');
    const flow = new Flow(plan, budget);
    const notes = new Notes(opened.xml(part('footnotes')), opened.xml(part('endnotes')));
    const comments = new Comments(opened.xml(part('comments')), opened.xml(part('commentsExtended')));
    const context: BodyContext = {
      comments,
      writeComment: ({ content, author, isReply }: Comment) => {
        const runs = new BodyReader(context, part('comments') ?? opened.main).inlineText(content);
        writeComment(flow, { author, isReply, runs });
      },
      graphics: new DrawingGraphics(flow, opened),
      flow,
      opened,
      styles: readStyles(opened.xml(part('styles'))),
      numbering: new Numbering(opened.xml(part('numbering'))),
      notes,
      removeHidden: plan.layout.removeHidden,
    };
    const writeHeadersOrFooters = (type: BlockType & ('header' | 'footer')) => {
      for (const target of new Set(related.filter((one) => one.type === type).map((one) => one.target))) {
        const root = opened.xml(target);
        if (root) new BodyReader(context, target, type).read(root);
      }
    };
    const first = flow.startPage(pageSize(body));
    if (!plan.layout.hideHeaders) writeHeadersOrFooters('header');
    new BodyReader(context, opened.main).read(body);
    for (let pending = notes.take(); pending.length > 0; pending = notes.take()) {
      for (const { mark, kind, content } of pending) {
        const reader = new BodyReader(context, part(`${kind}s`) ?? opened.main);
        const { text, markdown } = flow.render(reader.inlineText(content), false);
        if (text !== '') flow.block({ type: 'paragraph', text, markdown: `[^${mark}]: ${markdown}` });
      }
    }
    for (const comment of [...comments.take(), ...comments.takeUnreferred()]) context.writeComment(comment);
    if (comments.deletions > 0) flow.omit(buildDeletionOmission(comments.deletions));
    if (!plan.layout.hideFooters) writeHeadersOrFooters('footer');
    const document = finishDocument(flow, withOmissions(opened.metadata, listUnreadParts(opened.archive)));
    for (let index = 1; index < document.pageCount; index++) {
      const page = await document.readPage(index);
      page.width = first.width;
      page.height = first.height;
    }
    return document;
  },
};
