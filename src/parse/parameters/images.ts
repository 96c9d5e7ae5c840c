import { z } from 'zod';
import { flag, parameter } from './define.ts';

const KINDS = ['embedded', 'layout', 'screenshot'] as const;
/** Maximum length of the list of image kinds, including repetitions. */
const MAX_KINDS = 86;

/** Parameters for the pictures that are created, and for the links to them in the Markdown. */
export const imageParameters = {
  disable_image_extraction: flag({ description: 'Does not extract figures from the document.' }),
  images_to_save: parameter('array of embedded, layout, screenshot', z.array(z.enum(KINDS)).max(MAX_KINDS), {
    default: 'embedded',
    description:
      'Pictures that are created while the file is parsed: `screenshot` draws the pages, `layout` cuts tables and figures out of the pages of PDF, PNG and TIFF files, and `embedded` extracts the figures of the file. Figures that are not listed are extracted when they are first requested.',
  }),
  inline_images_in_markdown: flag({
    description:
      '`true`: figures in the Markdown link to `page-figures/{page_index}/{figure_name}`, which the API serves below `/api/v1/files/{id}/`, and chunks keep these links. Otherwise figures link to their name, and chunks leave the links out.',
  }),
  save_images: flag({
    default: 'true',
    description:
      '`false`: figures are extracted from the file when they are first requested, not while it is parsed.',
  }),
  take_screenshot: flag({
    description:
      'PDF: draws the pictures of the pages while the file is parsed. Otherwise, and for other formats, they are drawn when they are first requested.',
  }),
};
