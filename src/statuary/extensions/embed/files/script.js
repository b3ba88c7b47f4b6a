// Adds the banner of a status page to the page that loads this script: hidden until something is wrong.
(() => {
  const own = document.currentScript.src;
  const narrow = screen.width < 450;
  const address = new URL(narrow ? "frame?mobile=true" : "frame", own);
  const theme = new URL(own).searchParams.get("theme");
  if (theme) address.searchParams.set("theme", theme);
  const frame = document.createElement("iframe");
  frame.src = address.href;
  frame.title = document.currentScript.dataset.title || "Status";
  const place = frame.style;
  Object.assign(place, {
    position: "fixed",
    border: "none",
    boxShadow: "0 20px 32px -8px rgba(9,20,66,0.25)",
    zIndex: "9999",
    colorScheme: "normal",
  }, narrow
    ? { width: "100vw", height: "20vh", right: "0", bottom: "-9999px", transition: "bottom 1s ease" }
    : { width: "320px", height: "115px", right: "auto", left: "-9999px", bottom: "60px", transition: "left 1s ease" });
  const side = narrow ? "bottom" : "left";
  const show = (place) => {
    frame.style[side] = place;
    frame.setAttribute("aria-hidden", String(place === "-9999px"));
    frame.tabIndex = place === "-9999px" ? -1 : 0;
  };
  addEventListener("message", (event) => {
    if (event.source !== frame.contentWindow || event.origin !== address.origin) return;
    const action = event.data && event.data.action;
    if (action === "showFrame") show(narrow ? "0" : "60px");
    if (action === "dismissFrame") show("-9999px");
  });
  show("-9999px");
  const add = () => document.body.append(frame);
  if (document.body) add();
  else addEventListener("DOMContentLoaded", add);
})();
