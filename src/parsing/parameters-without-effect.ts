/**
 * The parse parameters that are checked, stored and returned, and change nothing of what is read, each with what is
 * told to who sends it. docs/parse-parameters.md says the same; a test compares the two.
 */
const NO_MODEL = 'No way of reading pages here follows it.';
const OWN_MODEL = 'Pages are read by the models of the installation, with its keys.';

export const WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  extract_charts: NO_MODEL,
  http_proxy:
    'No URL is fetched for it. Beside one it is refused: this runtime cannot send requests through a proxy.',
  internal_is_screenshot_job:
    'It marks work that other installations order from themselves; there is none of it here.',
  layout_aware: NO_MODEL,
  project_id: 'The project is that of the request, another one than this.',
  specialized_chart_parsing_agentic: NO_MODEL,
  specialized_chart_parsing_efficient: NO_MODEL,
  specialized_chart_parsing_plus: NO_MODEL,
  specialized_image_parsing: NO_MODEL,
};
