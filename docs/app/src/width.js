import { useEffect, useState } from 'preact/hooks';

/** The width of an element in pixels, so that what is drawn in it has text of the page's own size; `usual` until it is laid out. */
export function useWidth(usual = 1000, least = 280) {
    const [width, setWidth] = useState(usual);
    const [place, setPlace] = useState(null);
    useEffect(() => {
        if (!place) return undefined;
        const observer = new ResizeObserver(([{ contentRect }]) => contentRect.width && setWidth(Math.max(least, Math.round(contentRect.width))));
        observer.observe(place);
        return () => observer.disconnect();
    }, [place]);
    return [width, setPlace];
}
