import { useEffect, useState, useSyncExternalStore } from 'react';
import { UploadQueue, type UploadTarget } from './queue.ts';

const queues = new Map<string, UploadQueue>();

/** The queue of a place, by a key of its own: the same one when one comes back to its screen. */
export function useUploads(key: string, target: UploadTarget) {
  let queue = queues.get(key);
  if (!queue) {
    queue = new UploadQueue(target);
    queues.set(key, queue);
  }
  return { queue, uploads: useSyncExternalStore(queue.subscribe, queue.uploads) };
}

/** Takes files that are dropped anywhere on the page; true while some are held above it. */
export function useDrop(onFiles: (files: File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      onFiles([...event.dataTransfer!.files]);
    };
    document.addEventListener('dragover', over);
    document.addEventListener('dragleave', leave);
    document.addEventListener('drop', drop);
    return () => {
      document.removeEventListener('dragover', over);
      document.removeEventListener('dragleave', leave);
      document.removeEventListener('drop', drop);
    };
  });
  return isOver;
}
