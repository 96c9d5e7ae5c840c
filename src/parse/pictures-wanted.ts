import type { ParseParameters } from './parameters/parameters.ts';

/** Which pictures are made while a file is parsed. */
export interface PicturesWanted {
  /** Of whole pages. */
  screenshots: boolean;
  /** The pictures that stand in the file; all others are made when they are first asked for. */
  figures: boolean;
  /** Tables and figures, cut out of the picture of their page. */
  layout: boolean;
}

export function picturesWanted(parameters: ParseParameters): PicturesWanted {
  const chosen = parameters.images_to_save;
  const isKept = parameters.save_images !== false;
  return {
    screenshots: parameters.take_screenshot === true || (chosen?.includes('screenshot') ?? false),
    figures:
      isKept && parameters.disable_image_extraction !== true && (!chosen || chosen.includes('embedded')),
    layout: isKept && (chosen?.includes('layout') ?? false),
  };
}
