import { ParseError } from '#src/documents/errors.ts';
import { child, elements } from '#src/text-formats/xml.ts';
import { DrawingGraphics } from '../shared/charts/drawing-graphics.ts';
import { openPackage } from '../shared/containers/ooxml-package.ts';
import {
  buildHiddenPartOmission,
  listUnreadParts,
  withOmissions,
} from '../shared/containers/unread-parts.ts';
import { writeComment } from '../shared/flow/comments.ts';
import { finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import type { Parser } from '../shared/parser.ts';
import { readCommentAuthors, readSlideComments } from './comments.ts';
import { writeNotes } from './notes.ts';
import { EMU_PER_POINT, SlideReader } from './slide.ts';

const MAX_SLIDES = 5_000;

/** Parses presentations with one page per slide. Speaker notes follow the content of their slide. */
export const pptxParser: Parser = {
  async open({ bytes, plan, budget }) {
    const opened = openPackage(bytes, 'ppt/presentation.xml', budget);
    const presentation = opened.xml(opened.main);
    const relationships = opened.relationships(opened.main);
    const slides = elements(child(presentation, 'p:sldIdLst'), 'p:sldId');
    if (slides.length > MAX_SLIDES) {
      throw new ParseError(
        'TOO_MANY_PAGES',
        `The presentation has ${slides.length} slides, and the limit is ${MAX_SLIDES}.`,
      );
    }
    const declared = child(presentation, 'p:sldSz')?.attributes;
    const size = {
      width: Number(declared?.cx) / EMU_PER_POINT || 720,
      height: Number(declared?.cy) / EMU_PER_POINT || 540,
    };
    const flow = new Flow(plan, budget);
    const graphics = new DrawingGraphics(flow, opened);
    const authors = readCommentAuthors(opened, relationships);
    const seen = new Set<string>();
    slides.forEach((slide, index) => {
      const target = relationships.get(slide.attributes['r:id'] ?? '')?.target;
      // A list that repeats a part would multiply the work, so each part becomes one slide only.
      if (target !== undefined && seen.has(target)) return;
      if (target !== undefined) seen.add(target);
      const root = opened.xml(target);
      if (!target || !root)
        throw new ParseError('FILE_IS_BROKEN', `The file is damaged: slide ${index + 1} is missing.`);
      const isHidden = ['0', 'false'].includes(root.attributes.show ?? '');
      if (isHidden && plan.layout.removeHidden) {
        flow.omit(buildHiddenPartOmission(`Slide ${index + 1}`, 'remove_hidden_text'));
        return;
      }
      flow.startPage({ ...size, label: String(index + 1) });
      const own = opened.relationships(target);
      const tree = child(root, 'p:cSld', 'p:spTree');
      if (tree) new SlideReader({ flow, opened, relationships: own, plan, size, graphics }).read(tree);
      const notes = [...own.values()].find(({ type }) => type === 'notesSlide')?.target;
      if (notes)
        writeNotes({ flow, opened, relationships: opened.relationships(notes), plan, graphics }, notes);
      for (const comment of readSlideComments(opened, own, authors)) writeComment(flow, comment);
    });
    return finishDocument(flow, withOmissions(opened.metadata, listUnreadParts(opened.archive)));
  },
};
