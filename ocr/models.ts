let known: Promise<string[]> | undefined;

/**
 * Returns the names of the installed OCR models, which are Tesseract's names for languages, such as `eng`.
 */
export function installedModels(assets: Fetcher): Promise<string[]> {
  known ??= assets
    .fetch('http://assets/models.json')
    .then((answer) => answer.json<string[]>())
    .catch((error) => {
      known = undefined;
      throw error;
    });
  return known;
}
