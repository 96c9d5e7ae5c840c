let known: Promise<string[]> | undefined;

/** Returns the installed models by Tesseract's names for languages. */
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
