import type { Page } from '#src/documents/document.ts';
import type { PicturesPlan } from '#src/parse/model-plan.ts';
import { composePrompt, type Faults, type Prompt } from '../prompt.ts';
import { listPictures } from './regions.ts';
import { readsPicturesSeparately } from './separate-pictures.ts';

const ROLE = 'You read single pictures that were cut out of the pages of documents.';
const CHART =
  'If the picture is a chart, answer with one pipe table and nothing else: a column for its categories and one for ' +
  'each series, called as they are there. Write printed values exactly as they are printed. Where a value is not ' +
  'printed, read it off the axis, as exactly as the axis allows.';
const CHART_WITH_PAGE =
  'Write each chart as a pipe table in its place: a column for its categories and one for each series, called as ' +
  'they are there. Write printed values exactly as they are printed. Where a value is not printed, read it off the axis.';
const DESCRIPTION =
  'answer with a line of plain text that begins with PICTURE: and says what it shows, and a line that begins with ' +
  'TEXT: and has the words that stand in it, exactly as written; leave that line out where there are none.';
const APART =
  'Charts, drawings and pictures are read on their own. Of each write only the line of its image, where it has one, in ' +
  'its place, and nothing that stands in it.';

/**
 * Returns instructions about pictures for a model that reads a whole page. Returns `undefined` if none are
 * needed, for example because the page has no pictures.
 */
export function buildPictureInstructions(picturesPlan: PicturesPlan, page: Page): string | undefined {
  if (!picturesPlan.charts && !picturesPlan.descriptions) return undefined;
  if (listPictures(page).length === 0) return undefined;
  if (picturesPlan.charts === 'with the page') return CHART_WITH_PAGE;
  return readsPicturesSeparately(picturesPlan) && picturesPlan.charts ? APART : undefined;
}

/**
 * Builds the prompt that asks a model to read one picture. If `earlier` is set, asks the model to correct its
 * earlier answer.
 */
export function buildPicturePrompt(
  { charts, descriptions }: PicturesPlan,
  languages: readonly string[] | null | undefined,
  fence: string,
  earlier?: { answer: string; faults: Faults },
): Prompt {
  const isChart = charts !== undefined && charts !== 'with the page';
  const others = isChart ? 'Otherwise' : 'If it is a picture that a reader would want described,';
  return composePrompt({
    fence,
    system: [
      ROLE,
      isChart && CHART,
      descriptions && `${others} ${DESCRIPTION}`,
      'If it is none of this, answer with the one word NOTHING. Do not translate or comment.',
      languages?.length && `The languages of the document, as codes: ${languages.join(', ')}.`,
    ],
    task: 'Read the picture.',
    ...(earlier && {
      answer: earlier.answer,
      faults: earlier.faults,
      compare:
        'Compare it with the picture, value by value, and answer with the whole table without its mistakes.',
    }),
  });
}
