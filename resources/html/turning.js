// Turns the ranks of a figure: drag turns, the wheel zooms, hovering names a rank.
function numbers(text, kind) {
  return new kind(Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer);
}

function turning(canvas) {
  const { positions, edges, colours, pose } = canvas.dataset;
  const at = numbers(positions, Float32Array);
  const pairs = numbers(edges, Uint32Array);
  const rgb = numbers(colours, Uint8Array);
  let [yaw, pitch] = pose.split(' ').map(Number);
  const count = at.length / 3;
  const ratio = window.devicePixelRatio || 1;
  const wide = canvas.width, high = canvas.height;
  const paint = canvas.getContext('2d');
  let zoom = 1, spot = null, held = null;
  canvas.width *= ratio;
  canvas.height *= ratio;
  const distance = 4; // of the eye, in radii of the whole

  function project() {
    const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
    const scale = zoom * Math.min(wide, high) * 0.5 * (distance - 1);
    const seen = new Float32Array(3 * count);
    for (let k = 0; k < count; k++) {
      const [x, y, z] = [at[3 * k], at[3 * k + 1], at[3 * k + 2]];
      const right = -sy * x + cy * y, away = cy * x + sy * y;
      const deep = distance - (cp * away + sp * z);
      seen[3 * k] = wide / 2 + scale * right / deep;
      seen[3 * k + 1] = high / 2 - scale * (cp * z - sp * away) / deep;
      seen[3 * k + 2] = scale / deep;
    }
    return seen;
  }

  function fill() { // as much of the canvas as there is
    const seen = project();
    let most = 0;
    for (let k = 0; k < count; k++) {
      if (Math.hypot(at[3 * k], at[3 * k + 1], at[3 * k + 2]) > 1) continue; // silent
      most = Math.max(most, Math.abs(2 * seen[3 * k] / wide - 1), Math.abs(2 * seen[3 * k + 1] / high - 1));
    }
    zoom = 0.9 / most;
  }

  function draw() {
    const seen = project(), size = Number(canvas.dataset.size);
    paint.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint.clearRect(0, 0, wide, high);
    paint.lineWidth = 1;
    for (let k = 0; k < pairs.length; k += 2) {
      const [a, b] = [3 * pairs[k], 3 * pairs[k + 1]];
      const long = Math.hypot(at[a] - at[b], at[a + 1] - at[b + 1], at[a + 2] - at[b + 2]);
      paint.strokeStyle = long > 18 * size ? 'rgba(89,99,110,.15)' : 'rgba(89,99,110,.5)';
      paint.beginPath();
      paint.moveTo(seen[a], seen[a + 1]);
      paint.lineTo(seen[b], seen[b + 1]);
      paint.stroke();
    }
    const order = [...Array(count).keys()].sort((a, b) => seen[3 * a + 2] - seen[3 * b + 2]);
    for (const k of order) {
      paint.beginPath();
      paint.arc(seen[3 * k], seen[3 * k + 1], Math.max(size * seen[3 * k + 2], 1.2), 0, 7);
      paint.fillStyle = `rgb(${rgb[3 * k]},${rgb[3 * k + 1]},${rgb[3 * k + 2]})`;
      paint.fill();
      paint.strokeStyle = 'rgba(28,33,38,.35)';
      paint.stroke();
    }
    if (!spot) return;
    let best = -1, near = 14;
    for (const k of order) { // those in front last
      const far = Math.hypot(seen[3 * k] - spot[0], seen[3 * k + 1] - spot[1]);
      if (far < Math.max(size * seen[3 * k + 2], 6) && far < near) best = k;
    }
    if (best < 0) return;
    paint.font = '600 13px Inter, system-ui, sans-serif';
    const text = `rank ${best}`, [x, y] = [seen[3 * best] + 10, seen[3 * best + 1] - 10];
    paint.fillStyle = '#0f1317';
    paint.fillRect(x - 5, y - 14, paint.measureText(text).width + 10, 20);
    paint.fillStyle = '#fff';
    paint.fillText(text, x, y);
  }

  canvas.addEventListener('pointerdown', event => {
    held = [event.offsetX, event.offsetY];
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointerup', () => { held = null; });
  canvas.addEventListener('pointermove', event => {
    spot = [event.offsetX, event.offsetY];
    if (held) {
      yaw -= (spot[0] - held[0]) / 150;
      pitch = Math.min(Math.max(pitch + (spot[1] - held[1]) / 150, -1.57), 1.57);
      held = spot;
    }
    draw();
  });
  canvas.addEventListener('pointerleave', () => { spot = null; draw(); });
  canvas.addEventListener('wheel', event => {
    event.preventDefault();
    zoom = Math.min(Math.max(zoom * Math.exp(-event.deltaY / 600), 0.3), 20);
    draw();
  }, { passive: false });
  fill();
  draw();
}

for (const button of document.querySelectorAll('button.turn')) {
  button.hidden = false;
  button.addEventListener('click', () => {
    const canvas = button.parentElement.querySelector('canvas');
    button.parentElement.querySelector('img').hidden = true;
    button.hidden = true;
    canvas.hidden = false;
    turning(canvas);
  });
}
