{ MD5 (RFC 1321) that needs no library: the block function in Pascal and in assembly for x86-64 (Free Pascal's; Delphi compiles Pascal) and i386 (for Delphi as well), and a context of
  three functions.

  Each step waits for the one before: five operations in rounds 1 and 4, four in rounds 2 and 3. Round 2's function, (b and d) or (c and not d), is written as a sum, which
  it is because no bit is set in both halves, so that only one half waits for b. 4.5 operations on average for 64 steps make 4.5 cycles a byte the least. }
unit Md5Kernels;

{$IFDEF FPC}{$IFNDEF FPC_OBJFPC}{$MODE DELPHI}{$ENDIF}{$ASMMODE INTEL}{$ENDIF}
{$Q-}{$R-}

{$IF defined(CPUX86) or defined(CPUX86_64)}{$DEFINE MD5ASM}{$IFEND}

interface

type
  TMD5Digest = array[0..15] of Byte;
  TMD5State = array[0..3] of Cardinal;

  { The state of a digest: a plain record, which may be copied midway. }
  TMD5Context = record
    State: TMD5State;
    Len: UInt64;                  { bytes so far }
    Rest: array[0..63] of Byte;   { those after the last whole block }
  end;

  { Hashes Count blocks of 64 bytes into the state. }
  TMD5Blocks = procedure(var State: TMD5State; Data: Pointer; Count: NativeUInt);

procedure MD5Init(out Context: TMD5Context);
procedure MD5Update(var Context: TMD5Context; Data: Pointer; Len: NativeUInt);
{ Finishes the message and wipes the context. }
procedure MD5Final(var Context: TMD5Context; out Digest: TMD5Digest);
{ All three in one call. }
function MD5(Data: Pointer; Len: NativeUInt): TMD5Digest;

procedure MD5BlocksPascal(var State: TMD5State; Data: Pointer; Count: NativeUInt);
{$IFDEF MD5ASM}
procedure MD5BlocksAsm(var State: TMD5State; Data: Pointer; Count: NativeUInt);
{$ENDIF}

var
  { The block function used by the functions above. }
  MD5Blocks: TMD5Blocks = {$IFDEF MD5ASM}{$IFDEF FPC_OBJFPC}@{$ENDIF}MD5BlocksAsm{$ELSE}{$IFDEF FPC_OBJFPC}@{$ENDIF}MD5BlocksPascal{$ENDIF};

implementation

{$IFNDEF FPC}
function RolDWord(X: Cardinal; Bits: Byte): Cardinal; inline;
begin
  Result := (X shl Bits) or (X shr (32 - Bits));
end;
{$ENDIF}

type
  TWords = array[0..15] of Cardinal;
  PWords = ^TWords;

procedure MD5BlocksPascal(var State: TMD5State; Data: Pointer; Count: NativeUInt);
var
  X: PWords;
  a, b, c, d: Cardinal;
  {$IFDEF ENDIAN_BIG}
  Swapped: TWords;
  I: Integer;
  {$ENDIF}
begin
  X := Data;
  while Count > 0 do
  begin
    {$IFDEF ENDIAN_BIG}
    for I := 0 to 15 do
      Swapped[I] := SwapEndian(PWords(Data)^[I]);
    X := @Swapped;
    {$ENDIF}
    a := State[0];
    b := State[1];
    c := State[2];
    d := State[3];
    { Round 1. }
    a := RolDWord(a + X^[0] + $D76AA478 + ((c xor d) and b xor d), 7) + b;
    d := RolDWord(d + X^[1] + $E8C7B756 + ((b xor c) and a xor c), 12) + a;
    c := RolDWord(c + X^[2] + $242070DB + ((a xor b) and d xor b), 17) + d;
    b := RolDWord(b + X^[3] + $C1BDCEEE + ((d xor a) and c xor a), 22) + c;
    a := RolDWord(a + X^[4] + $F57C0FAF + ((c xor d) and b xor d), 7) + b;
    d := RolDWord(d + X^[5] + $4787C62A + ((b xor c) and a xor c), 12) + a;
    c := RolDWord(c + X^[6] + $A8304613 + ((a xor b) and d xor b), 17) + d;
    b := RolDWord(b + X^[7] + $FD469501 + ((d xor a) and c xor a), 22) + c;
    a := RolDWord(a + X^[8] + $698098D8 + ((c xor d) and b xor d), 7) + b;
    d := RolDWord(d + X^[9] + $8B44F7AF + ((b xor c) and a xor c), 12) + a;
    c := RolDWord(c + X^[10] + $FFFF5BB1 + ((a xor b) and d xor b), 17) + d;
    b := RolDWord(b + X^[11] + $895CD7BE + ((d xor a) and c xor a), 22) + c;
    a := RolDWord(a + X^[12] + $6B901122 + ((c xor d) and b xor d), 7) + b;
    d := RolDWord(d + X^[13] + $FD987193 + ((b xor c) and a xor c), 12) + a;
    c := RolDWord(c + X^[14] + $A679438E + ((a xor b) and d xor b), 17) + d;
    b := RolDWord(b + X^[15] + $49B40821 + ((d xor a) and c xor a), 22) + c;
    { Round 2. }
    a := RolDWord(a + X^[1] + $F61E2562 + ((not d and c) + (d and b)), 5) + b;
    d := RolDWord(d + X^[6] + $C040B340 + ((not c and b) + (c and a)), 9) + a;
    c := RolDWord(c + X^[11] + $265E5A51 + ((not b and a) + (b and d)), 14) + d;
    b := RolDWord(b + X^[0] + $E9B6C7AA + ((not a and d) + (a and c)), 20) + c;
    a := RolDWord(a + X^[5] + $D62F105D + ((not d and c) + (d and b)), 5) + b;
    d := RolDWord(d + X^[10] + $02441453 + ((not c and b) + (c and a)), 9) + a;
    c := RolDWord(c + X^[15] + $D8A1E681 + ((not b and a) + (b and d)), 14) + d;
    b := RolDWord(b + X^[4] + $E7D3FBC8 + ((not a and d) + (a and c)), 20) + c;
    a := RolDWord(a + X^[9] + $21E1CDE6 + ((not d and c) + (d and b)), 5) + b;
    d := RolDWord(d + X^[14] + $C33707D6 + ((not c and b) + (c and a)), 9) + a;
    c := RolDWord(c + X^[3] + $F4D50D87 + ((not b and a) + (b and d)), 14) + d;
    b := RolDWord(b + X^[8] + $455A14ED + ((not a and d) + (a and c)), 20) + c;
    a := RolDWord(a + X^[13] + $A9E3E905 + ((not d and c) + (d and b)), 5) + b;
    d := RolDWord(d + X^[2] + $FCEFA3F8 + ((not c and b) + (c and a)), 9) + a;
    c := RolDWord(c + X^[7] + $676F02D9 + ((not b and a) + (b and d)), 14) + d;
    b := RolDWord(b + X^[12] + $8D2A4C8A + ((not a and d) + (a and c)), 20) + c;
    { Round 3. }
    a := RolDWord(a + X^[5] + $FFFA3942 + (b xor (c xor d)), 4) + b;
    d := RolDWord(d + X^[8] + $8771F681 + (a xor (b xor c)), 11) + a;
    c := RolDWord(c + X^[11] + $6D9D6122 + (d xor (a xor b)), 16) + d;
    b := RolDWord(b + X^[14] + $FDE5380C + (c xor (d xor a)), 23) + c;
    a := RolDWord(a + X^[1] + $A4BEEA44 + (b xor (c xor d)), 4) + b;
    d := RolDWord(d + X^[4] + $4BDECFA9 + (a xor (b xor c)), 11) + a;
    c := RolDWord(c + X^[7] + $F6BB4B60 + (d xor (a xor b)), 16) + d;
    b := RolDWord(b + X^[10] + $BEBFBC70 + (c xor (d xor a)), 23) + c;
    a := RolDWord(a + X^[13] + $289B7EC6 + (b xor (c xor d)), 4) + b;
    d := RolDWord(d + X^[0] + $EAA127FA + (a xor (b xor c)), 11) + a;
    c := RolDWord(c + X^[3] + $D4EF3085 + (d xor (a xor b)), 16) + d;
    b := RolDWord(b + X^[6] + $04881D05 + (c xor (d xor a)), 23) + c;
    a := RolDWord(a + X^[9] + $D9D4D039 + (b xor (c xor d)), 4) + b;
    d := RolDWord(d + X^[12] + $E6DB99E5 + (a xor (b xor c)), 11) + a;
    c := RolDWord(c + X^[15] + $1FA27CF8 + (d xor (a xor b)), 16) + d;
    b := RolDWord(b + X^[2] + $C4AC5665 + (c xor (d xor a)), 23) + c;
    { Round 4. }
    a := RolDWord(a + X^[0] + $F4292244 + (c xor (b or not d)), 6) + b;
    d := RolDWord(d + X^[7] + $432AFF97 + (b xor (a or not c)), 10) + a;
    c := RolDWord(c + X^[14] + $AB9423A7 + (a xor (d or not b)), 15) + d;
    b := RolDWord(b + X^[5] + $FC93A039 + (d xor (c or not a)), 21) + c;
    a := RolDWord(a + X^[12] + $655B59C3 + (c xor (b or not d)), 6) + b;
    d := RolDWord(d + X^[3] + $8F0CCC92 + (b xor (a or not c)), 10) + a;
    c := RolDWord(c + X^[10] + $FFEFF47D + (a xor (d or not b)), 15) + d;
    b := RolDWord(b + X^[1] + $85845DD1 + (d xor (c or not a)), 21) + c;
    a := RolDWord(a + X^[8] + $6FA87E4F + (c xor (b or not d)), 6) + b;
    d := RolDWord(d + X^[15] + $FE2CE6E0 + (b xor (a or not c)), 10) + a;
    c := RolDWord(c + X^[6] + $A3014314 + (a xor (d or not b)), 15) + d;
    b := RolDWord(b + X^[13] + $4E0811A1 + (d xor (c or not a)), 21) + c;
    a := RolDWord(a + X^[4] + $F7537E82 + (c xor (b or not d)), 6) + b;
    d := RolDWord(d + X^[11] + $BD3AF235 + (b xor (a or not c)), 10) + a;
    c := RolDWord(c + X^[2] + $2AD7D2BB + (a xor (d or not b)), 15) + d;
    b := RolDWord(b + X^[9] + $EB86D391 + (d xor (c or not a)), 21) + c;
    Inc(State[0], a);
    Inc(State[1], b);
    Inc(State[2], c);
    Inc(State[3], d);
    Data := PByte(Data) + 64;
    X := Data;
    Dec(Count);
  end;
end;

{$IFDEF MD5ASM}{$IFDEF CPUX86}{$I md5_i386.inc}{$ELSE}{$I md5_x86_64.inc}{$ENDIF}{$ENDIF}

procedure MD5Init(out Context: TMD5Context);
begin
  Context := Default(TMD5Context);
  Context.State[0] := $67452301;
  Context.State[1] := $EFCDAB89;
  Context.State[2] := $98BADCFE;
  Context.State[3] := $10325476;
end;

procedure MD5Update(var Context: TMD5Context; Data: Pointer; Len: NativeUInt);
var
  Kept, Take: NativeUInt;
begin
  Kept := Context.Len and 63;
  Inc(Context.Len, Len);
  if Kept > 0 then
  begin
    Take := 64 - Kept;
    if Take > Len then
      Take := Len;
    Move(Data^, Context.Rest[Kept], Take);
    Data := PByte(Data) + Take;
    Dec(Len, Take);
    if Kept + Take < 64 then
      Exit;
    MD5Blocks(Context.State, @Context.Rest, 1);
  end;
  MD5Blocks(Context.State, Data, Len div 64);
  if Len and 63 > 0 then
    Move(PByte(Data)[Len and not NativeUInt(63)], Context.Rest, Len and 63);
end;

procedure MD5Final(var Context: TMD5Context; out Digest: TMD5Digest);
var
  Bits: UInt64;
  Kept: NativeUInt;
  I: Integer;
begin
  Bits := Context.Len shl 3;
  Kept := Context.Len and 63;
  Context.Rest[Kept] := $80;
  Inc(Kept);
  if Kept > 56 then
  begin
    FillChar(Context.Rest[Kept], 64 - Kept, 0);
    MD5Blocks(Context.State, @Context.Rest, 1);
    Kept := 0;
  end;
  FillChar(Context.Rest[Kept], 56 - Kept, 0);
  for I := 0 to 7 do
    Context.Rest[56 + I] := Byte(Bits shr (8 * I));
  MD5Blocks(Context.State, @Context.Rest, 1);
  for I := 0 to 15 do
    Digest[I] := Byte(Context.State[I div 4] shr (8 * (I mod 4)));
  Context := Default(TMD5Context);
end;

function MD5(Data: Pointer; Len: NativeUInt): TMD5Digest;
var
  Context: TMD5Context;
begin
  MD5Init(Context);
  MD5Update(Context, Data, Len);
  MD5Final(Context, Result);
end;

end.
