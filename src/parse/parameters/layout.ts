import { flag } from './define.ts';

/** Parameters for the reading order of text and for bounding boxes. */
export const layoutParameters = {
  disable_reconstruction: flag({
    description:
      'PDF: reads lines straight across the page as paragraphs, without columns, tables, headings, lists and running headers.',
  }),
  do_not_unroll_columns: flag({
    description: 'PDF: reads lines straight across the page instead of column by column.',
  }),
  extract_layout: flag({
    default: 'true',
    description: 'PDF: `false` leaves out the bounding boxes of blocks and lines.',
  }),
  extract_printed_page_number: flag({
    description: 'PDF: uses the number printed on the page as the page label if the file has no label.',
  }),
  ignore_document_elements_for_layout_detection: flag({
    description: 'PDF: recognises headings by their appearance alone, without the outline of the document.',
  }),
  line_level_bounding_box: flag({
    description: 'PDF: adds `lines` to blocks of text: the text of each line with its bounding box.',
  }),
  precise_bounding_box: flag({
    description: 'PDF: bounding boxes end where the ink ends. Otherwise they have the height of the font.',
  }),
  preserve_layout_alignment_across_pages: flag({
    description: 'PDF: keeps horizontal positions in the plain text of a page by spaces.',
  }),
  preserve_very_small_text: flag({ description: 'PDF: keeps text smaller than 0.9 points.' }),
  remove_hidden_text: flag({
    description: 'PDF and Office formats: leaves out text that the document hides.',
  }),
  skip_diagonal_text: flag({
    description: 'PDF: leaves out text that is neither upright nor turned by a right angle.',
  }),
  hide_footers: flag({
    description:
      'Leaves out running footers. PDF: if not given, they are left out of the Markdown only and stay in the text and the items; `false` writes them into the Markdown, and so does `page_footer_prefix` or `page_footer_suffix`.',
  }),
  hide_headers: flag({
    description:
      'Leaves out running headers. PDF: if not given, they are left out of the Markdown only and stay in the text and the items; `false` writes them into the Markdown, and so does `page_header_prefix` or `page_header_suffix`.',
  }),
  annotate_links: flag({
    default: 'true, for PDF false',
    description:
      'Writes link targets into the Markdown. PDF writes them only if `true`; all other formats write them unless `false`. The list of links of a page is not affected.',
  }),
  html_make_all_elements_visible: flag({ description: 'HTML: reads hidden elements too.' }),
  html_remove_fixed_elements: flag({
    description: 'HTML: leaves out elements with fixed or sticky position.',
  }),
  html_remove_navigation_elements: flag({ description: 'HTML: leaves out navigation.' }),
};
