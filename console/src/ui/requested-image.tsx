import { type ImgHTMLAttributes, useEffect, useRef } from 'react';

/**
 * Image whose request is aborted when the image is removed from the page. Browsers go on loading a removed image, which
 * fails if its file is deleted meanwhile.
 */
export function RequestedImage({ alt, ...props }: ImgHTMLAttributes<HTMLImageElement> & { alt: string }) {
  const image = useRef<HTMLImageElement>(null);
  useEffect(() => {
    const element = image.current;
    return () => {
      if (!element?.isConnected) element?.removeAttribute('src');
    };
  }, []);
  return <img ref={image} alt={alt} {...props} />;
}
