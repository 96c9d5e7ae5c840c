import type { TableOptions } from '#src/documents/markdown/render-table.ts';
import { type ModelPlan, resolveModelPlan } from './model-plan.ts';
import { type PageMargins, resolveMargins } from './parameters/pages.ts';
import type { ParseParameters } from './parameters/parameters.ts';

/** Plan for selecting pages and for handling pages that cannot be read. */
export interface PagesPlan {
  /** Page numbers and ranges as the caller wrote them. Undefined means all pages. */
  target: string | undefined;
  /** Maximum number of pages to read. Undefined means no limit. */
  most: number | undefined;
  /** Number of pages above which the document fails. Undefined means no limit. */
  mostAllowed: number | undefined;
  password: string | undefined;
  margins: PageMargins;
  /** Share of pages that may be unreadable, from 0 to 1. If undefined, the parser uses its default. */
  errorTolerance: number | undefined;
  failedPage: { mode: ParseParameters['replace_failed_page_mode']; prefix: string; suffix: string };
  /** Strict modes. Each fails the whole file instead of leaving something out. */
  strict: { fonts: boolean; images: boolean; ocr: boolean; model: boolean };
}

/** Plan for ordering and filtering the text of a page. */
export interface LayoutPlan {
  /** True to read lines straight across the page, without columns, tables, headings and lists. */
  plainText: boolean;
  ignoreColumns: boolean;
  boxes: boolean;
  lineBoxes: boolean;
  preciseBoxes: boolean;
  printedPageNumber: boolean;
  ignoreOutline: boolean;
  keepAlignment: boolean;
  keepSmallText: boolean;
  removeHidden: boolean;
  skipDiagonal: boolean;
  hideHeaders: boolean;
  hideFooters: boolean;
  /**
   * True to write the running headers or footers of PDF pages into the Markdown. Otherwise they are only in the
   * text and in the blocks.
   */
  headersInMarkdown: boolean;
  footersInMarkdown: boolean;
  /** True to write links into the Markdown. If undefined, the format determines it. */
  links: boolean | undefined;
  html: { showHidden: boolean; removeFixed: boolean; removeNavigation: boolean };
}

/** Plan for recognizing and writing tables. */
export interface TablesPlan extends TableOptions {
  splitLong: boolean;
  aggressive: boolean;
  outlined: boolean;
  mergeOverPages: boolean;
  keepSeparator: boolean;
}

/**
 * Plan for the pictures that are created while a file is parsed. Other pictures are created when they are
 * first requested.
 */
export interface ImagesPlan {
  /** True if the document's figures are available at all. */
  extract: boolean;
  /** True if figures in the Markdown link to the addresses at which the API serves them. */
  linkFigures: boolean;
  /** True to create pictures of whole pages. */
  screenshots: boolean;
  /** True to store pictures that the file contains. */
  figures: boolean;
  /** True to cut tables and figures out of the pictures of the pages. */
  layout: boolean;
}

/** Plan for reading pages without a text layer. */
export interface OcrPlan {
  enabled: boolean;
  highResolution: boolean;
  /** Language codes of the API specification. Empty if the caller named none. */
  languages: readonly string[];
  /** True if an OCR engine also reads pages with a text layer, to compare the two. */
  crossCheck: boolean;
}

export interface SpreadsheetPlan {
  guessSheetName: boolean;
  /** How a sheet is split into tables: at empty rows, at empty rows and columns, or not at all. */
  divide: 'rows' | 'cells' | 'never';
  computeAll: boolean;
  hiddenSheets: boolean;
}

export interface PresentationPlan {
  outsideSlide: boolean;
  skipEmbeddedData: boolean;
}

/** Texts before and after a page or a running line. */
export interface Frame {
  prefix: string;
  suffix: string;
}

/**
 * Texts around pages, running headers and running footers. `{page_number}` is replaced by the 1-based page
 * number.
 */
export interface OutputPlan {
  page: Frame;
  header: Frame;
  footer: Frame;
  /** Text between pages. If undefined, the writer uses its default, which is a blank line. */
  separator: string | undefined;
}

/** Time limits of a parse, and whether an earlier parse may be reused. */
export interface JobPlan {
  reuseEarlier: boolean;
  /** Time limits in seconds: for the document, and in addition for each page. Undefined means no limit. */
  timeout: { base: number; perPage: number } | undefined;
}

/** The resolved parse parameters in the form that parsers use. */
export interface ParsePlan {
  pages: PagesPlan;
  layout: LayoutPlan;
  tables: TablesPlan;
  images: ImagesPlan;
  ocr: OcrPlan;
  spreadsheet: SpreadsheetPlan;
  presentation: PresentationPlan;
  output: OutputPlan;
  model: ModelPlan;
  job: JobPlan;
}

/** Resolves the parse parameters of a request and applies defaults for absent ones. */
export function resolveParsePlan(parameters: ParseParameters): ParsePlan {
  return {
    pages: resolvePages(parameters),
    layout: resolveLayout(parameters),
    tables: resolveTables(parameters),
    images: resolveImages(parameters),
    ocr: resolveOcr(parameters),
    spreadsheet: resolveSpreadsheet(parameters),
    presentation: {
      outsideSlide: parameters.presentation_out_of_bounds_content === true,
      skipEmbeddedData: parameters.presentation_skip_embedded_data === true,
    },
    output: resolveOutput(parameters),
    model: resolveModelPlan(parameters),
    job: resolveJob(parameters),
  };
}

function resolvePages(parameters: ParseParameters): PagesPlan {
  return {
    target: parameters.target_pages ?? undefined,
    // The value 0 means no limit.
    most: parameters.max_pages || undefined,
    mostAllowed: parameters.max_pages_enforced || undefined,
    password: parameters.password ?? undefined,
    margins: resolveMargins(parameters),
    errorTolerance: parameters.page_error_tolerance ?? undefined,
    failedPage: {
      mode: parameters.replace_failed_page_mode,
      prefix: parameters.replace_failed_page_with_error_message_prefix ?? '',
      suffix: parameters.replace_failed_page_with_error_message_suffix ?? '',
    },
    strict: {
      fonts: parameters.strict_mode_buggy_font === true,
      images: parameters.strict_mode_image_extraction === true,
      ocr: parameters.strict_mode_image_ocr === true,
      model: parameters.strict_mode_reconstruction === true,
    },
  };
}

function resolveLayout(parameters: ParseParameters): LayoutPlan {
  return {
    plainText: parameters.disable_reconstruction === true || parameters.fast_mode === true,
    ignoreColumns: parameters.do_not_unroll_columns === true,
    boxes: parameters.extract_layout !== false,
    lineBoxes: parameters.line_level_bounding_box === true,
    preciseBoxes: parameters.precise_bounding_box === true,
    printedPageNumber: parameters.extract_printed_page_number === true,
    ignoreOutline: parameters.ignore_document_elements_for_layout_detection === true,
    keepAlignment: parameters.preserve_layout_alignment_across_pages === true,
    keepSmallText: parameters.preserve_very_small_text === true,
    removeHidden: parameters.remove_hidden_text === true,
    skipDiagonal: parameters.skip_diagonal_text === true,
    hideHeaders: parameters.hide_headers === true,
    hideFooters: parameters.hide_footers === true,
    headersInMarkdown:
      parameters.hide_headers === false ||
      Boolean(parameters.page_header_prefix || parameters.page_header_suffix),
    footersInMarkdown:
      parameters.hide_footers === false ||
      Boolean(parameters.page_footer_prefix || parameters.page_footer_suffix),
    links: parameters.annotate_links ?? undefined,
    html: {
      showHidden: parameters.html_make_all_elements_visible === true,
      removeFixed: parameters.html_remove_fixed_elements === true,
      removeNavigation: parameters.html_remove_navigation_elements === true,
    },
  };
}

function resolveTables(parameters: ParseParameters): TablesPlan {
  return {
    compact: parameters.compact_markdown_table,
    html: parameters.output_tables_as_HTML,
    headerSeparator: parameters.markdown_table_multiline_header_separator,
    splitLong: parameters.adaptive_long_table === true,
    aggressive: parameters.aggressive_table_extraction === true,
    outlined: parameters.outlined_table_extraction === true,
    mergeOverPages: parameters.merge_tables_across_pages_in_markdown === true,
    keepSeparator: parameters.keep_page_separator_when_merging_tables === true,
  };
}

function resolveImages(parameters: ParseParameters): ImagesPlan {
  const kinds = parameters.images_to_save;
  const areSaved = parameters.save_images !== false;
  const extract = parameters.disable_image_extraction !== true;
  return {
    extract,
    linkFigures: parameters.inline_images_in_markdown === true,
    screenshots: parameters.take_screenshot === true || (kinds?.includes('screenshot') ?? false),
    figures: areSaved && extract && (!kinds || kinds.includes('embedded')),
    layout: areSaved && (kinds?.includes('layout') ?? false),
  };
}

function resolveOcr(parameters: ParseParameters): OcrPlan {
  const enabled = parameters.disable_ocr !== true;
  return {
    enabled,
    highResolution: parameters.high_res_ocr === true,
    languages: parameters.languages ?? [],
    crossCheck: enabled && parameters.confidence_score_effort === 'high',
  };
}

function resolveSpreadsheet(parameters: ParseParameters): SpreadsheetPlan {
  const split = parameters.spreadsheet_extract_sub_tables;
  return {
    guessSheetName: parameters.guess_xlsx_sheet_name === true,
    divide: split === true ? 'cells' : split === false ? 'never' : 'rows',
    computeAll: parameters.spreadsheet_force_formula_computation === true,
    hiddenSheets: parameters.spreadsheet_include_hidden_sheets === true,
  };
}

function resolveOutput(parameters: ParseParameters): OutputPlan {
  return {
    page: { prefix: parameters.page_prefix ?? '', suffix: parameters.page_suffix ?? '' },
    header: { prefix: parameters.page_header_prefix ?? '', suffix: parameters.page_header_suffix ?? '' },
    footer: { prefix: parameters.page_footer_prefix ?? '', suffix: parameters.page_footer_suffix ?? '' },
    separator: parameters.page_separator ?? undefined,
  };
}

function resolveJob(parameters: ParseParameters): JobPlan {
  const { job_timeout_in_seconds: base } = parameters;
  const perPage = parameters.job_timeout_extra_time_per_page_in_seconds ?? 0;
  return {
    reuseEarlier: !parameters.do_not_cache && !parameters.invalidate_cache,
    // The value 0 means that the limits of the installation apply.
    timeout: base ? { base, perPage } : undefined,
  };
}
