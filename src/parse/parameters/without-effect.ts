/**
 * The parse parameters that are checked, stored and returned, and change nothing of what is read, each with what is
 * told to who sends it. docs/parse-parameters.md says the same; a test compares the two.
 */
export const WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  http_proxy:
    'No URL is fetched for it. Beside one it is refused: this runtime cannot send requests through a proxy.',
  internal_is_screenshot_job:
    'It marks work that other installations order from themselves; there is none of it here.',
  project_id: 'The project is that of the request, another one than this.',
};
