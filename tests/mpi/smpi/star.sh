# star SPEED [LATENCY [BANDWIDTH]]: writes star.xml, four hosts h0 .. h3 of that speed at one switch, each with a link of 25 us and 1 Gb/s, or of that latency and bandwidth.
star() {
  cat > star.xml <<XML
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="h" suffix="" radical="0-3" speed="$1" bw="${3:-125MBps}" lat="${2:-25us}" loopback_bw="5GBps" loopback_lat="1us"/>
</platform>
XML
}
