// The panel of a task. It is drawn anew from `data` after each click; text is only ever set as text.

const PATIENCE_MS = 10000;
const GRACE_MS = 300; // the server's clock decides, and is not to be asked too early
let arrived = { stamp: null, at: 0 };

export default function drawPanel({ data, parentElement, setTriggerValue }) {
  const panel = parentElement.querySelector(".panel");
  if (data.stamp !== arrived.stamp) arrived = { stamp: data.stamp, at: performance.now() };
  stop(panel);

  const send = (name) => {
    for (const control of panel.querySelectorAll("button, textarea")) control.disabled = true;
    panel.setAttribute("aria-busy", "true"); // until its answer: a second message could take this one's place
    setTriggerValue("move", { task: data.task, turn: data.turn, name });
    panel.patience = setTimeout(() => {
      say("The server has not answered yet. Check your connection, then click again: nothing counts twice.");
      panel.removeAttribute("aria-busy");
      for (const control of panel.querySelectorAll("button:not([data-used]), textarea")) control.disabled = false;
    }, PATIENCE_MS);
  };
  const say = (text) => {
    panel.querySelector(".notice").textContent = text;
  };
  // One question before what cannot be taken back, asked and answered in the browser.
  const confirm = (button, question, name) => {
    panel.querySelector(".confirm")?.remove();
    const yes = make("button", "yes", "Yes, this is my answer");
    const no = make("button", "no", "No");
    const row = make("div", "confirm", "", [make("p", "", question), yes, no]);
    row.setAttribute("role", "group");
    yes.onclick = () => send(name);
    no.onclick = () => {
      row.remove();
      button.focus();
    };
    button.after(row);
    yes.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  };

  const focused = parentElement.activeElement?.dataset?.name;
  panel.replaceChildren(
    drawHead(data),
    ...(data.is_typed ? [drawTyped(confirm)] : drawLists(data, send, confirm)),
  );
  panel.removeAttribute("aria-busy");
  say(data.notice);
  if (focused !== undefined) focusNear(panel, focused);

  const look = () => {
    if (!panel.hasAttribute("aria-busy")) setTriggerValue("look", true);
  };
  const tick = () => {
    const left = data.seconds_left * 1000 - (performance.now() - arrived.at);
    const clock = panel.querySelector(".clock");
    clock.textContent = left > 0 ? `Time left ${minutes(left)}` : "The time is over";
    clock.classList.toggle("short", left < 60000);
    if (left < -GRACE_MS && !panel.hasAttribute("aria-busy")) {
      stop(panel);
      look();
    }
  };
  if (data.seconds_left !== null) {
    tick();
    panel.ticker = setInterval(tick, 250);
  }
  // A tab that comes back into sight shows what was stored meanwhile, in another tab or on another device.
  panel.look = () => {
    if (document.visibilityState === "visible") look();
  };
  document.addEventListener("visibilitychange", panel.look);
  return () => stop(panel);
}

function stop(panel) {
  clearInterval(panel.ticker);
  clearTimeout(panel.patience);
  document.removeEventListener("visibilitychange", panel.look);
}

function drawHead(data) {
  const taken = data.observations.length;
  const count = make("span", "count", data.is_typed ? "" : `${taken} ${taken === 1 ? "action" : "actions"} so far`);
  const notice = make("p", "notice");
  notice.setAttribute("role", "status");
  const children = [make("div", "status", "", [make("span", "clock"), count]), notice];
  if (data.goal) children.unshift(make("p", "goal", data.goal));
  return make("header", "", "", children);
}

function drawLists(data, send, confirm) {
  const observations = data.observations.map((seen) =>
    make("li", "", "", [make("span", "action", seen.action), make("span", "result", seen.text)]),
  );
  const list = make("ol", "observations", "", observations);
  list.setAttribute("aria-live", "polite");
  const actions = data.actions.map(({ name, used }) => {
    const button = choice(name);
    button.disabled = used;
    if (used) button.dataset.used = "";
    button.onclick = () => send(name);
    return button;
  });
  const truths = data.truths.map((name) => {
    const button = choice(name);
    button.onclick = () => confirm(button, `Answer “${name}”? This ends the task.`, name);
    return button;
  });
  return [
    section("What you found out", observations.length ? list : make("p", "none", "Nothing yet.")),
    section(`Choose the next ${data.action_noun}`, make("div", "choices actions", "", actions)),
    section(`Or name the ${data.truth_noun} that is left`, make("div", "choices truths", "", truths)),
  ];
}

function drawTyped(confirm) {
  const box = make("textarea", "typed");
  box.maxLength = 2000;
  box.setAttribute("aria-label", "Your answer");
  const button = make("button", "answer", "Answer");
  button.onclick = () => {
    if (box.value.trim()) confirm(button, "Give this answer? This ends the task.", box.value);
  };
  return section("Your answer", make("div", "choices", "", [box, button]));
}

function section(title, content) {
  return make("section", "", "", [make("h2", "", title), content]);
}

function choice(name) {
  const button = make("button", "choice", name);
  button.dataset.name = name;
  return button;
}

function make(tag, className = "", text = "", children = []) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (tag === "button") element.type = "button";
  if (text) element.textContent = text;
  element.append(...children);
  return element;
}

function focusNear(panel, name) {
  const buttons = [...panel.querySelectorAll(".choice")];
  const place = buttons.findIndex((button) => button.dataset.name === name);
  const free = buttons.slice(place).find((button) => !button.disabled);
  free?.focus({ preventScroll: true });
}

function minutes(milliseconds) {
  const seconds = Math.ceil(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
